import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/** Does the server's part of a TLS handshake on a socket. Rejects where it fails. */
export function secureSocket(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext })
    const fail = (error?: Error) => {
      secured.destroy()
      reject(error ?? new Error('The client left during the TLS handshake.'))
    }
    secured.once('error', fail)
    secured.once('close', () => fail())
    secured.once('secure', () => {
      secured.removeAllListeners('close').off('error', fail)
      secured.on('error', () => secured.destroy())
      resolve(secured)
    })
  })
}
