import assert from 'node:assert/strict'
import type { CallerMautic } from '../../src/kit/caller.ts'
import { uniqueName } from '../callers.ts'
import { submitMessage, type TestSubmission } from '../mautics.ts'
import type { TestApp } from '../test-app.ts'

export interface QueuedSubmission extends Partial<Pick<TestSubmission, 'to' | 'sender' | 'mode'>> {
  /** The name or id of its transport. Default: it names none. */
  transport?: string | number
  isBulk?: boolean
  /** More header fields. */
  head?: string
  mautic?: (CallerMautic & { brand?: number }) | undefined
  /** The expected reply. Default: it is stored. */
  reply?: RegExp
}

/** Submits a message, by default to the queue; returns its recipient. */
export async function submitQueued(
  service: TestApp,
  {
    transport,
    isBulk = false,
    head,
    mautic,
    reply = /^250 2\.0\.0$/,
    ...message
  }: QueuedSubmission,
): Promise<string> {
  const {
    to = `${uniqueName('to')}@rcpt.test`,
    sender = 'news@brand.test',
    mode = 'queue',
  } = message
  const fields = [
    `From: ${sender}`,
    `Message-ID: <${to}>`,
    ...(transport === undefined ? [] : [`X-Mailyard-Transport: ${transport}`]),
    ...(isBulk ? ['Precedence: bulk'] : []),
    ...(head === undefined ? [] : [head]),
  ]
  const text = `${fields.join('\n')}\n\nHello`
  assert.match(String(await submitMessage(service, mautic, { to, text, sender, mode })), reply)
  return to
}
