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
    returnedBytesMax: 1_000,
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
        message: { sender: 'a@b.test', notification: undefined, receivedAt: 0 },
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

test('a forged sender gets a limited number of notifications an hour, and of bytes of other messages', async () => {
  const notifying = createNotifying()
  const raw = `Subject: s\r\nX: ${'x'.repeat(900)}\r\n\r\n`
  for (let index = 0; index < 600; index += 1) {
    const sender = `forged+${index}@b.test`
    const message = { sender, notification: undefined, receivedAt: 0 }
    const recipients = Array.from({ length: 20 }, (_, at) => failed(`${at}@d.test`))
    await notifying.notify({ message, recipients }, raw)
  }
  assert.equal(notifying.all.length, 500)
  assert.equal(notifying.limited, 100)
  const bytes = notifying.all.reduce((sum, { raw: { length } }) => sum + length, 0)
  assert.ok(bytes < 4_200_000, `${bytes} bytes`)
  const first = await readNotification(notifying.all[0]?.raw ?? new Uint8Array())
  const last = await readNotification(notifying.all.at(-1)?.raw ?? new Uint8Array())
  assert.deepEqual([first.returned === undefined, last.returned === undefined], [false, true])
})
