import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { h } from 'preact'
import { renderPage } from '../../http/index.ts'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

/**
 * Receives one authorization response on a free port of 127.0.0.1. Other requests do not end the wait: those for an icon, of another
 * page, or without the state.
 *
 * @see RFC 8252, section 7.3
 */
export class LoopbackServer {
  readonly redirectUri: string
  readonly #server: Server
  #state: string | undefined
  #receive: ((response: URLSearchParams) => void) | undefined

  private constructor(server: Server, redirectUri: string) {
    this.#server = server
    this.redirectUri = redirectUri
  }

  static async open(): Promise<LoopbackServer> {
    const http = createServer()
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const { port } = http.address() as AddressInfo
    const server = new LoopbackServer(http, `http://127.0.0.1:${port}`)
    http.on('request', (request, response) => server.#answer(request, response))
    return server
  }

  /** Waits for the response with this state. Rejects with the reason of the signal. */
  receive(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      this.#state = state
      this.#receive = resolve
      signal.throwIfAborted()
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }

  async close(): Promise<void> {
    this.#server.close()
    // Browsers open connections that they never use.
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { status, sentence, received } = this.#read(request)
    // The command goes on when the page is sent.
    if (received !== undefined) response.once('close', () => this.#receive?.(received))
    response.writeHead(status, headers)
    response.end(renderPage('Sign-in with Google', h('p', null, sentence)))
  }

  /** Returns the page for a request, and the authorization response if it is one. */
  #read({ method, url = '/' }: IncomingMessage): {
    status: number
    sentence: string
    received?: URLSearchParams
  } {
    const target = URL.parse(url, this.redirectUri)
    if (target?.pathname !== '/') return { status: 404, sentence: 'There is nothing here.' }
    if (method !== 'GET') return { status: 405, sentence: 'Only GET is allowed here.' }
    const received = target.searchParams
    const isAnswer = received.has('code') || received.has('error')
    if (!isAnswer || this.#state === undefined || received.get('state') !== this.#state) {
      const sentence =
        'This is not the answer that the command waits for. The command goes on waiting.'
      return { status: 400, sentence }
    }
    const sentence = "The command has Google's answer. You can close this window."
    return { status: 200, sentence, received }
  }
}
