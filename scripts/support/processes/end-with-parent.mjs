// Preloaded into the leader of a process group: ends the group when the process that started it is gone, however that one ended. The
// other end of this socket closes with it. SIGKILL, because nobody is left to repeat a signal that a process ignores.
import { Socket } from "node:net";

const fd = Number(process.env.PLATFORM_PARENT_FD);
// Processes of the group inherit the environment and `--import`, but not the socket.
delete process.env.PLATFORM_PARENT_FD;
if (fd > 0) {
  const end = () => process.kill(-process.pid, "SIGKILL");
  new Socket({ fd }).on("close", end).on("error", end).resume().unref();
}
