import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10;

/** Returns the CPU time in ms that this process's workerd has used so far, or null on systems without /proc. */
export function workerdCpuMs(): number | null {
  try {
    const pids = readdirSync("/proc/self/task").flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
    );
    let ticks = 0;
    for (const pid of pids) {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (!stat.includes("(workerd)")) continue;
      // The fields after the process name are the state, ten further fields, and the ticks in user and system mode.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks * TICK_MS;
  } catch {
    return null;
  }
}
