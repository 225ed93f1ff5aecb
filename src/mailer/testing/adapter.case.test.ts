import assert from 'node:assert/strict'
import type { ApiAdapter } from '../api/api-adapter.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import type { HttpAnswer, HttpRequest } from '../http/http-exchange.ts'
import type { Message } from '../message/message.ts'
import { parseMessage } from '../message/parse-message.ts'

/** The adapter that a DSN leads to. */
export function adapterOf(dsn: string): ApiAdapter {
  const parsed = parseDsn(dsn)
  assert.ok(parsed.kind === 'api')
  return parsed.adapter
}

/**
 * The request that a DSN makes of a message at a fixed time, without sending it; `aside` answers what
 * the adapter asks for first, such as a token.
 */
export async function requestOf(
  dsn: string,
  message: Message,
  aside?: HttpAnswer,
): Promise<HttpRequest> {
  return adapterOf(dsn).request(
    { ...message, parse: () => parseMessage(message) },
    {
      now: () => new Date('2026-01-31T15:54:35Z'),
      uuid: () => '00000000-0000-4000-8000-000000000000',
      fetch: async () => {
        assert.ok(aside, 'no other request is expected')
        return aside
      },
    },
  )
}

/** The body of a request as JSON. */
export function jsonBody({ body }: HttpRequest): Record<string, unknown> {
  assert.equal(typeof body, 'string')
  return JSON.parse(String(body)) as Record<string, unknown>
}

/** A plain message with more header lines, each without its line end. */
export function messageWith(...headers: string[]): Message {
  const lines = ['From: sender@example.com', 'To: jane@example.net', 'Subject: short', ...headers]
  return {
    envelope: { from: 'sender@example.com', to: ['jane@example.net'] },
    raw: Buffer.from([...lines, '', 'Hello', ''].join('\r\n')),
  }
}
