import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give connections ports from 32,768 on, or higher. */
const ports = { from: 10_000, to: 32_767 }

/** Finds a free port of loopback for a server that is stopped and started: no connection takes it in the meantime. */
export async function freePort(): Promise<number> {
  const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from))
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
