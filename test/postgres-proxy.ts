import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a PostgreSQL server that simulates network failures. */
export interface PostgresProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** Loses the answer to the next commit, and the connection with it. */
  loseNextCommit(): void
  /** Breaks the connection with the next commit, which reaches the server only after so many milliseconds. */
  delayNextCommit(delayMs: number): void
  /** Stalls the open connections without closing them; new connections work. */
  silence(): void
  close(): Promise<void>
}

/** Each new connection sets `synchronous_commit`, which is none. */
const isCommit = /(?<!_)commit/

/** Opens it, on a free port of loopback. */
export async function openPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const url = new URL(databaseUrl)
  const { hostname, port } = url
  let isLosing = false
  let delayMs: number | undefined
  let silenced = new WeakSet<Socket>()
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let isLost = false
    let isDelayed = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        if (!isDelayed) upstream.destroy()
      })
    }
    client.on('data', (bytes) => {
      if (silenced.has(client)) return
      if (delayMs !== undefined && isCommit.test(bytes.toString('latin1'))) {
        isDelayed = true
        setTimeout(() => upstream.end(bytes), delayMs)
        delayMs = undefined
        client.destroy()
        return
      }
      upstream.write(bytes)
      if (isLosing && isCommit.test(bytes.toString('latin1'))) isLost = true
    })
    upstream.on('data', (bytes) => {
      if (silenced.has(client)) return
      if (!isLost) client.write(bytes)
      else {
        isLosing = false
        client.destroy()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    loseNextCommit: () => {
      isLosing = true
    },
    delayNextCommit: (ms) => {
      delayMs = ms
    },
    silence: () => {
      silenced = new WeakSet(open)
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
