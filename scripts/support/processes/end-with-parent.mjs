// Preloaded into the leader of a process group, which inherits a socket of the process that started the group. The socket
// closes when that process ends in any way. This script then kills the group with SIGKILL, because processes may ignore other
// signals.
import { Socket } from "node:net";

const fd = Number(process.env.PLATFORM_PARENT_FD);
// Other processes of the group inherit the environment and `--import`, but not the socket.
delete process.env.PLATFORM_PARENT_FD;
if (fd > 0) {
  const end = () => process.kill(-process.pid, "SIGKILL");
  new Socket({ fd }).on("close", end).on("error", end).resume().unref();
}
