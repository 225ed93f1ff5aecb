import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../kit/log.ts'
import type { Message } from '../../mailer/index.ts'
import type { FailedRecipient } from './notification.ts'
import { createNotifySender, type NotificationEvent } from './notify-sender.ts'
import { readNotification } from './read-notification.case.test.ts'

const failed = (address: string): FailedRecipient => ({ address, reply: null })

interface Notifying {
  all: Message[]
  /** How many notifications were dropped because of the limit. */
  limited: number
  notify: (changes: Partial<NotificationEvent>, raw?: string) => Promise<void>
}

function createNotifying(): Notifying {
  const all: Message[] = []
  const notify = createNotifySender({
    submit: async (message) => {
      all.push(message)
    },
    reportingMta: 'mail.test',
    from: { name: '', address: 'bounces@mail.test' },
    onLimited: () => {
      notifying.limited += 1
    },
    clock: { now: () => 1_000 },
    log: createLog('silent'),
  })
  const notifying: Notifying = {
    all,
    limited: 0,
    notify: (changes, raw = 'Subject: s\r\n\r\nHello\r\n') =>
      notify({
        id: '17.failed',
        message: { sender: 'a@b.test', receivedAt: 0 },
        recipients: [failed('c@d.test')],
        readMessage: async () => Buffer.from(raw),
        ...changes,
      }),
  }
  return notifying
}

/** Returns what is submitted for an event. */
async function submitted(changes: Partial<NotificationEvent>, raw?: string) {
  const { all, notify } = createNotifying()
  await notify(changes, raw)
  return all
}

test('the sender is notified of its failed recipients', async () => {
  const [notice, ...others] = await submitted({ recipients: ['c@d.test', 'e@d.test'].map(failed) })
  assert.deepEqual(others, [])
  assert.ok(notice !== undefined)
  assert.deepEqual(notice.envelope, { from: '', to: ['a@b.test'] })
  const { ofRecipients, email } = await readNotification(notice.raw)
  assert.deepEqual(
    ofRecipients.map((fields) => fields['Final-Recipient']),
    ['rfc822; c@d.test', 'rfc822; e@d.test'],
  )
  assert.equal(email.messageId, '<17.failed@mail.test>')
})

test('nothing is sent to the null sender, or about a notification', async () => {
  assert.deepEqual(await submitted({ message: { sender: '', receivedAt: 0 } }), [])
  const report = 'Content-Type: Multipart/Report; report-type=delivery-status; boundary=x'
  assert.deepEqual(await submitted({}, `Subject: s\r\n${report}\r\n\r\nbody\r\n`), [])
  for (const other of [`Subject: s\r\n\r\n${report}`, 'Auto-Submitted: auto-replied\r\n\r\naway'])
    assert.equal((await submitted({}, other)).length, 1)
  const [notice] = await submitted({})
  assert.deepEqual(await submitted({}, Buffer.from(notice?.raw ?? []).toString()), [])
})

test('a forged sender gets a limited number of notifications an hour', async () => {
  const notifying = createNotifying()
  for (let index = 0; index < 600; index += 1) {
    const sender = `forged+${index}@b.test`
    const message = { sender, receivedAt: 0 }
    await notifying.notify({ message })
  }
  assert.equal(notifying.all.length, 500)
  assert.equal(notifying.limited, 100)
})
