import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server that is to stop one day. */
export interface Connections {
  /**
   * Ends each connection once nothing is asked for on it, and all that are left after this time. Returns
   * what ends that.
   */
  drain(timeoutMs: number): () => void
}

const intervalMs = 100
/** A request that is on its way when a stop begins has this long to arrive. */
const firstByteWaitMs = 1_000

/**
 * Node ends only those connections by itself that are idle at the moment when a server closes: not those
 * that become idle later, as a proxy's do, nor those that nobody has asked anything on.
 */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return {
    drain(timeoutMs) {
      const beganAt = performance.now()
      const timer = setInterval(() => {
        const lastedMs = performance.now() - beganAt
        server.closeIdleConnections()
        for (const socket of open) {
          if (lastedMs > firstByteWaitMs && socket.bytesRead === 0) socket.destroy()
        }
        if (lastedMs > timeoutMs) server.closeAllConnections()
      }, intervalMs)
      return () => clearInterval(timer)
    },
  }
}
