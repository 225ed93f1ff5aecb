import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../kit/log.ts'
import type { Message } from '../../mailer/index.ts'
import type { RecipientStatus } from './notification.ts'
import { createNotifySender, type NotificationEvent } from './notify-sender.ts'
import { readNotification } from './read-notification.case.test.ts'

const failed = (address: string): RecipientStatus => {
  return { address, action: 'failed', reply: null }
}

/** Returns what is submitted for an event. */
async function submitted(changes: Partial<NotificationEvent>, raw = 'Subject: s\r\n\r\nHello\r\n') {
  const all: Message[] = []
  const notify = createNotifySender({
    submit: async (message) => {
      all.push(message)
    },
    reportingMta: 'mail.test',
    from: { name: '', address: 'bounces@mail.test' },
    returnedBytesMax: 1_000,
    clock: { now: () => 1_000 },
    log: createLog('silent'),
  })
  await notify({
    id: '17.failed',
    message: { sender: 'a@b.test', notification: undefined, receivedAt: 0 },
    recipients: [failed('c@d.test')],
    readMessage: async () => Buffer.from(raw),
    ...changes,
  })
  return all
}

test('the sender is notified of the recipients for whom a notification is due, and of no others', async () => {
  const notification = {
    recipients: { 'never@d.test': { notify: 'NEVER' }, 'delay@d.test': { notify: 'DELAY' } },
  }
  const [notice, ...others] = await submitted({
    message: { sender: 'a@b.test', notification, receivedAt: 0 },
    recipients: ['c@d.test', 'never@d.test', 'delay@d.test', 'e@d.test'].map(failed),
  })
  assert.deepEqual(others, [])
  assert.ok(notice !== undefined)
  assert.deepEqual(notice.envelope.to, ['a@b.test'])
  const { ofRecipients, email } = await readNotification(notice.raw)
  assert.deepEqual(
    ofRecipients.map((fields) => fields['Final-Recipient']),
    ['rfc822; c@d.test', 'rfc822; e@d.test'],
  )
  assert.equal(email.messageId, '<17.failed@mail.test>')
})

test('nothing is sent if no notification is due, to the null sender, or about a notification', async () => {
  const never = { recipients: { 'c@d.test': { notify: 'NEVER' } } }
  const about = { sender: 'a@b.test', receivedAt: 0 }
  assert.deepEqual(await submitted({ message: { ...about, notification: never } }), [])
  assert.deepEqual(
    await submitted({ message: { ...about, sender: '', notification: undefined } }),
    [],
  )
  const [notice] = await submitted({})
  assert.deepEqual(await submitted({}, Buffer.from(notice?.raw ?? []).toString()), [])
})

test('a delay is notified only if the sender asked for it', async () => {
  const recipients = [{ ...failed('c@d.test'), action: 'delayed' as const }]
  assert.equal((await submitted({ recipients })).length, 0)
  const deliverBy = { seconds: 60, mode: 'notify', isTraced: false } as const
  assert.equal((await submitted({ recipients, deliverBy })).length, 1)
})
