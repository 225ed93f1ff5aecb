import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNotificationDue, mayBeNotified, type NotificationAction } from './notification-due.ts'

const actions: NotificationAction[] = ['failed', 'delayed', 'delivered', 'relayed', 'expanded']
const due = (about: Parameters<typeof isNotificationDue>[1]) =>
  actions.filter((action) => isNotificationDue(action, about))

test('NOTIFY decides which events are notified; without it, failures are', () => {
  assert.deepEqual(due({}), ['failed'])
  assert.deepEqual(due({ notify: 'NEVER' }), [])
  assert.deepEqual(due({ notify: 'FAILURE' }), ['failed'])
  assert.deepEqual(due({ notify: 'DELAY' }), ['delayed'])
  assert.deepEqual(due({ notify: 'success' }), ['delivered', 'relayed', 'expanded'])
  assert.deepEqual(due({ notify: 'Success,Failure,Delay' }), actions)
})

test('DELIVERBY asks for a notification of a delay or of relays, unless NOTIFY says otherwise', () => {
  const notifying = { seconds: 60, mode: 'notify', isTraced: false } as const
  assert.deepEqual(due({ deliverBy: notifying }), ['failed', 'delayed'])
  assert.deepEqual(due({ deliverBy: { ...notifying, isTraced: true } }), [
    'failed',
    'delayed',
    'relayed',
  ])
  assert.deepEqual(due({ deliverBy: { ...notifying, mode: 'return' } }), ['failed'])
  assert.deepEqual(due({ deliverBy: { ...notifying, isTraced: true }, notify: 'NEVER' }), [])
})

test('no notification is sent about a notification', () => {
  const message = (head: string) => Buffer.from(`${head}\r\n\r\nbody\r\n`)
  assert.equal(mayBeNotified('a@b.test', message('Subject: s')), true)
  assert.equal(mayBeNotified('a@b.test', undefined), true)
  assert.equal(mayBeNotified('', message('Subject: s')), false)
  const report = 'Content-Type: Multipart/Report; report-type=delivery-status; boundary=x'
  assert.equal(mayBeNotified('a@b.test', message(`Subject: s\r\n${report}`)), false)
  assert.equal(mayBeNotified('a@b.test', message(`Subject: s\r\n\r\n${report}`)), true)
  const autoReply = 'Auto-Submitted: auto-replied\r\nSubject: away'
  assert.equal(mayBeNotified('a@b.test', message(autoReply)), true)
})
