import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A script in a process of its own. */
export interface StartedScript {
  /** The first line that it wrote. */
  readonly line: string
  readonly pid: number
  stop(): void
}

/** Starts a script, and waits for its first line, which says where it listens. */
export async function startScript(
  path: string,
  args: readonly string[] = [],
): Promise<StartedScript> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { line, pid: child.pid ?? 0, stop: () => void child.kill() }
}
