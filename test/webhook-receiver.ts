import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of webhooks: it answers with `status`, or never while it is null. */
export interface WebhookReceiver {
  url: string
  requests: ReceivedRequest[]
  status: number | null
  answerHeaders: Record<string, string>
  answer: string
  /** Breaks the connections of requests that are not answered. */
  hangUp(): void
  close(): void
}

/** Opens one on a free port of loopback. */
export async function openWebhookReceiver(
  values: Partial<Pick<WebhookReceiver, 'status' | 'answer' | 'answerHeaders'>> = {},
): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      receiver.requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (receiver.status === null) return
      response.writeHead(receiver.status, receiver.answerHeaders).end(receiver.answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    requests: [],
    status: 200,
    answerHeaders: {},
    answer: 'ok',
    ...values,
    hangUp: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
