import { createHmac } from 'node:crypto'
import type { MauticDouble } from './mautic-double.ts'
import { type Json, readWebhook } from './recordings.ts'

/** How a run of Mautic's cron job that sends emails to segments ended. */
export interface SegmentEmailRun {
  /** How many messages Mautic shows as sent. */
  shownAsSent: number
  /** How many were submitted. */
  submitted: number
  /** The error that ended the run; undefined where it went through. */
  error: string | undefined
}

const spareMs = 2 * 86_400_000

/**
 * Sends an email to contacts as a real Mautic does with its own defaults: it saves the statistics, calls the webhooks that
 * announce messages, then submits. A webhook without a success among its last 100 calls is unpublished and its author
 * notified; without an author, the run ends there, and what was saved is never tried again.
 */
export async function runSegmentEmail(
  { data }: MauticDouble,
  { contacts, submit }: { contacts: readonly string[]; submit: (address: string) => Promise<void> },
): Promise<SegmentEmailRun> {
  const run: SegmentEmailRun = { shownAsSent: contacts.length, submitted: 0, error: undefined }
  for (const address of contacts) {
    for (const hook of data.hooks.values()) {
      if (!hook.isPublished || !hook.triggers.includes('mautic.email_on_send')) continue
      hook.log = [...(hook.log ?? []), await announce(hook, address)]
      if (isSick(hook)) {
        hook.isPublished = false
        if (hook.createdBy !== null) continue
        return { ...run, error: 'MissingIdentifierField: The identifier id is missing for a query' }
      }
    }
    await submit(address)
    run.submitted += 1
  }
  return run
}

/** Without a success among its last 100 calls. One that was modified in the last two days is spared. */
function isSick({ log, dateModified }: Json): boolean {
  if (log.slice(-100).includes(true)) return false
  return dateModified === null || Date.now() - Date.parse(dateModified) > spareMs
}

async function announce({ webhookUrl, secret }: Json, address: string): Promise<boolean> {
  const body = structuredClone(readWebhook('segment-send-email_on_send').body)
  body['mautic.email_on_send'][0].contact.email = address
  const payload = JSON.stringify(body)
  const signature = createHmac('sha256', secret).update(payload).digest('base64')
  const headers = { 'content-type': 'application/json', 'webhook-signature': signature }
  return fetch(webhookUrl, { method: 'POST', headers, body: payload }).then(
    ({ ok }) => ok,
    () => false,
  )
}
