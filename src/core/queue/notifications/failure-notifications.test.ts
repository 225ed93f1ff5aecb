import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import { createLog } from '../../../kit/log.ts'
import type { FailedRecipient } from '../../mime/notifications/notification.ts'
import { readNotification } from '../../mime/notifications/read-notification.case.test.ts'
import { FailureNotifications, type MessageFailure } from './failure-notifications.ts'

const failed = (address: string): FailedRecipient => ({ address, reply: null })

const raw = 'Subject: s\r\n\r\nHello\r\n'

function open() {
  const limited = { count: 0 }
  const notifications = new FailureNotifications({
    canSend: true,
    reportingMta: 'mail.test',
    from: { name: '', address: 'bounces@mail.test' },
    onLimited: () => {
      limited.count += 1
    },
    clock: clockAt(1_000),
    log: createLog('silent'),
  })
  const compose = (changes: Partial<MessageFailure> = {}, message = raw) =>
    notifications.compose({
      id: '17.failed',
      message: { sender: 'a@b.test', receivedAt: 0 },
      recipients: [failed('c@d.test')],
      readMessage: async () => Buffer.from(message),
      ...changes,
    })
  return { compose, limited }
}

test('the sender is notified of its failed recipients', async () => {
  const notice = await open().compose({ recipients: ['c@d.test', 'e@d.test'].map(failed) })
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
  const { compose } = open()
  assert.equal(await compose({ message: { sender: '', receivedAt: 0 } }), undefined)
  const report = 'Content-Type: Multipart/Report; report-type=delivery-status; boundary=x'
  assert.equal(await compose({}, `Subject: s\r\n${report}\r\n\r\nbody\r\n`), undefined)
  for (const other of [`Subject: s\r\n\r\n${report}`, 'Auto-Submitted: auto-replied\r\n\r\naway'])
    assert.notEqual(await compose({}, other), undefined)
  const notice = await compose()
  assert.equal(await compose({}, Buffer.from(notice?.raw ?? []).toString()), undefined)
})

test('a forged sender gets a limited number of notifications an hour', async () => {
  const { compose, limited } = open()
  let count = 0
  for (let index = 0; index < 600; index += 1) {
    const message = { sender: `forged+${index}@b.test`, receivedAt: 0 }
    if ((await compose({ message })) !== undefined) count += 1
  }
  assert.deepEqual([count, limited.count], [500, 100])
})
