import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give connections ports from 32,768 on, or higher. */
const ports = { from: 10_000, to: 32_767 }
const hostIp = '127.0.0.1'

/** Finds a free port of loopback for a server that is stopped and started: no connection takes it in the meantime. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from))
    const server = createServer()
    server.listen(port, hostIp)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
