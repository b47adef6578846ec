// Preloaded into the leader of a process group: kills the group when the starting process ends, in whatever way,
// because that closes the other end of this socket. SIGKILL, because no one would repeat an ignored signal.
import { Socket } from "node:net";

const fd = Number(process.env.PLATFORM_PARENT_FD);
// Other processes of the group inherit the environment and `--import`, but not the socket.
delete process.env.PLATFORM_PARENT_FD;
if (fd > 0) {
  const end = () => process.kill(-process.pid, "SIGKILL");
  new Socket({ fd }).on("close", end).on("error", end).resume().unref();
}
