import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { basicHeader } from '../administrator.ts'
import { addBrand, type TestMautic } from '../mautics.ts'
import { openTestApp, type TestApp, type TestAppOptions, type TestBody } from '../test-app.ts'

/** An answer of the gateway, and its body as text. */
export interface GatewayAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** A request through a socket, as a client sends it. */
export interface GatewayRequest {
  method?: string
  path: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
  /** The address of the client, one of loopback. Default: 127.0.0.1. */
  from?: string
}

/** A Mailyard that listens, with connected Mautics. */
export interface OpenGateway {
  service: TestApp
  port: number
  /** Connects a Mautic, by default of a brand of its own; returns it. */
  connect(values: { name: string; url: string } & Record<string, unknown>): Promise<TestBody>
  /** Sends a request over a connection of its own. */
  ask(request: GatewayRequest): Promise<GatewayAnswer>
  /** Asks as the administrator of a Mautic, at its address. */
  askAs(
    mautic: TestMautic,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; text: string; body: TestBody }>
  /** Sends bytes; resolves with all that comes back once the connection is closed. */
  sendRaw(text: string): Promise<string>
  close(): Promise<void>
}

/** Without background tasks: what a Mautic is asked comes from the requests of the test. */
export async function openGateway(options: TestAppOptions = {}): Promise<OpenGateway> {
  const service = await openTestApp({ isStarted: false, ...options })
  return listenAsGateway(service)
}

/** Lets a service that is open already listen. */
export async function listenAsGateway(service: TestApp): Promise<OpenGateway> {
  const port = Number(new URL(await service.listen()).port)
  return {
    service,
    port,
    async connect(values) {
      const brand = await addBrand(service)
      const body = { clientId: 'id', clientSecret: 'a secret', brand, ...values }
      return (await service.askFor('POST', '/api/mautics/new', body)).mautic
    },
    ask: (request) => ask(port, request),
    async askAs({ name, double }, method, path, body) {
      const { username, password } = double.administrator
      const { status, text } = await ask(port, {
        method,
        path: `/mautic/${name}/api/${path}`,
        headers: { authorization: basicHeader(username, password) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status, text, body: JSON.parse(text) }
    },
    sendRaw: (text) => sendRaw(port, text),
    close: () => service.close(),
  }
}

async function ask(port: number, asked: GatewayRequest): Promise<GatewayAnswer> {
  const { method = 'GET', path, headers = {}, body, from: localAddress } = asked
  const isChunked = headers['transfer-encoding'] !== undefined
  const length =
    body === undefined || isChunked ? {} : { 'content-length': Buffer.byteLength(body) }
  const options = { host: '127.0.0.1', port, method, path, agent: false }
  const request = sendRequest({
    ...options,
    ...(localAddress && { localAddress }),
    headers: { ...length, ...headers },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text, 'latin1'))
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += String(chunk)
    })
    socket.once('close', () => resolve(received)).once('error', reject)
  })
}
