import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP connection between two parts of a system, which a test cuts. */
export interface Cable {
  /** The port of loopback that leads to the server. */
  readonly port: number
  /** Leads new connections to this port. */
  leadTo(port: number): void
  /** Breaks all connections at once, and refuses new ones until `leadTo` is called. */
  cut(): void
  close(): Promise<void>
}

/** Called with what passes, before it passes. */
export interface CableWatch {
  toServer?: (bytes: Buffer) => void
  toClient?: (bytes: Buffer) => void
}

/** Opens a cable on a free port of loopback. It is cut until `leadTo` is called. */
export async function openCable(watch: CableWatch = {}): Promise<Cable> {
  const sockets = new Set<Socket>()
  let target: number | undefined
  const server = createServer({ noDelay: true }, (client) => {
    if (target === undefined) return void client.destroy()
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const [socket, other, onBytes] of [
      [client, upstream, watch.toServer],
      [upstream, client, watch.toClient],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.on('end', () => other.end())
      socket.on('data', (bytes: Buffer) => {
        onBytes?.(bytes)
        if (!socket.destroyed) other.write(bytes)
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    target = undefined
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      target = port
    },
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
