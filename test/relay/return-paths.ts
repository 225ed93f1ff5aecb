import assert from 'node:assert/strict'
import { before } from 'node:test'
import { composeStatus } from '../../src/modules/events/mail/report-samples.case.test.ts'
import { adminPassword } from '../administrator.ts'
import { addTransport, uniqueName } from '../callers.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import type { SharedApp } from '../on-each-database.ts'
import { type Dialogue, openDialogue } from '../smtp-dialogue.ts'

export const bounceAddress = 'bounces@mail.example.com'
/** The fields of a recipient who does not exist. */
export const failed = 'Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user'

/** What a server of the recipient sends back. */
export const bounceOf = (recipient: string) =>
  composeStatus([`Final-Recipient: rfc822; ${recipient}\n${failed}`])

/** Sends through a transport whose bounces come back to Mailyard, and brings them. */
export function useReturnPaths(shared: SharedApp) {
  const catcher = useMailCatcher()
  let port = 0
  let transportId = 0
  before(async () => {
    const { service } = shared
    transportId = (await addTransport(service, { mailerDsn: `${catcher.dsn}?return_path=on` })).id
    port = (await service.openSmtpServer()).port ?? 0
  })
  const ask = async (path: string, body?: unknown) => {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await shared.ask(method, path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const dial = async (): Promise<Dialogue> => {
    const client = await openDialogue(port)
    await client.say('EHLO mx.example.net')
    return client
  }
  /** Submits a message; returns the return path of each recipient. */
  const send = async (
    to: readonly string[] = [`${uniqueName('to')}@rcpt.test`],
    {
      as = ['admin', adminPassword] as readonly [string, string],
      through = transportId,
      isAwaited = true,
    } = {},
  ) => {
    const client = await dial()
    assert.match(await client.logIn(...as), /^235 /)
    const named = through === 0 ? '' : `X-Mailyard-Transport: ${through}\r\n`
    const raw = `${named}From: shop@brand-a.test\r\nMessage-ID: <${uniqueName('id')}@a.test>\r\nSubject: Hi\r\n\r\nHi`
    assert.match(await client.hand({ from: 'shop@brand-a.test', to, raw }), /^250 /)
    client.end()
    if (!isAwaited) return []
    await shared.service.app.idle()
    return to.map((address) => {
      const mails = catcher.mails.filter((mail) => mail.to.includes(address))
      assert.deepEqual(mails.at(-1)?.to, [address])
      return { to: address, path: mails.at(-1)?.from ?? '' }
    })
  }
  const sendOne = async () => (await send())[0] ?? assert.fail()
  /** Hands mail over without a log-in, and applies what it says. */
  const comeBack = async (path: string, raw: string) => {
    const client = await dial()
    const reply = await client.hand({ from: '', to: [path], raw })
    client.end()
    await shared.service.app.idle()
    return reply
  }
  const suppressionsOf = async (address: string) =>
    (await ask(`/api/suppressions?address=${address}`)).suppressions
  const eventsOf = async (recipient: string) => {
    const { deliveries } = await ask(`/api/deliveries?recipient=${recipient}`)
    const { events } = await ask(`/api/deliveries/${deliveries[0].id}`)
    return events.map((event: { type: string; class: string }) => [event.type, event.class])
  }
  return {
    catcher,
    ask,
    dial,
    send,
    sendOne,
    comeBack,
    suppressionsOf,
    eventsOf,
    /** Of the transport. */
    get transportId() {
      return transportId
    },
  }
}
