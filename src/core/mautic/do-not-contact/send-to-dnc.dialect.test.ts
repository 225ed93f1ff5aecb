import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../../test/callers.ts'
import { createEmail } from '../../../../test/mautic-double/mautic-data.ts'
import {
  addMautic,
  holdAnswers,
  readMauticChanges,
  submitMessage,
  synchronizeMautic,
  type TestMautic,
} from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { MauticTables } from '../table.ts'

/** What Mautic 7 calls "Include unsubscribed contacts", for each email. */
const included = 1
const excluded = 2
const without = 3

onEachDatabase('sendToDnc of an email of a Mautic', { isStarted: false }, (shared) => {
  const { ask } = shared
  const synchronize = (mautic: TestMautic) => synchronizeMautic(shared.service, mautic.id)
  let count = 0

  /** A Mautic with a domain of its own, and a contact that is on its list for a reason. */
  const connect = async (reason: number) => {
    count += 1
    const domain = `brand${count}.test`
    const contact = `ann@${domain}`
    const { id: transportId } = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    const contacts = { 1: { email: contact } }
    const mautic = await addMautic(shared.service, {
      ...{ emails: [included, excluded, without], contacts, transportId },
    })
    const { emails, doNotContact } = mautic.double.data
    emails.get(included).sendToDnc = true
    emails.get(excluded).sendToDnc = false
    const entry = { lead_id: '1', reason: String(reason), channel: 'email', comments: '' }
    doNotContact.push({ ...entry, id: '1', date_added: '2026-01-31 10:00:00', channel_id: null })
    await shared.service.app.mautics.senderDomains.note(mautic.id, [domain])
    await synchronize(mautic)
    const submit = async (head: string, body = 'Hello') => {
      count += 1
      const text = `${head}Message-ID: <${count}@a.test>\nFrom: news@${domain}\n\n${body}\n`
      const sender = `news@${domain}`
      return (await submitMessage(shared.service, mautic, { to: contact, text, sender }))[0] ?? ''
    }
    const send = (emailId: number, head = '') => submit(`${head}X-EMAIL-ID: ${emailId}\n`)
    return { mautic, contact, domain, submit, send }
  }
  const bulk = 'Precedence: bulk\n'
  const [sent, withheld, waits] = [/^250/, /^550 5\.7\.1/, /^451 4\.4\.3/]
  const uniqueHash = () => `${Math.random()}`.slice(2, 14).padEnd(22, '0')
  const pixel = (hash: string) => `https://brand.test/email/${hash}.gif`

  test('decides whether unsubscribed contacts get it, in bulk and one by one; without it all is as before', async () => {
    for (const reason of [1, 3]) {
      const { send } = await connect(reason)
      for (const head of ['', bulk]) {
        assert.match(await send(included, head), sent)
        assert.match(await send(excluded, head), withheld)
      }
      assert.match(await send(without), sent)
      assert.match(await send(without, bulk), withheld)
    }
  })

  test('lets nothing through to an address that has bounced', async () => {
    const { send } = await connect(2)
    for (const email of [included, excluded, without]) assert.match(await send(email), withheld)
  })

  test('does not count for what a person or another Mautic has suppressed', async () => {
    const { contact, domain, mautic, send } = await connect(1)
    mautic.double.data.doNotContact = []
    await synchronize(mautic)
    for (const source of [null, 'mautic 987654']) {
      const values = { address: contact, reason: 'unsubscribed', senderDomain: domain, source }
      const { suppression } = (await ask('POST', '/api/suppressions/new', values)).body
      assert.match(await send(included, bulk), withheld)
      assert.match(await send(excluded), sent)
      await ask('DELETE', `/api/suppressions/${suppression.id}/delete`)
    }
  })

  test('is read again when it is changed, and of all emails after an upgrade of Mautic or Mailyard', async () => {
    const { mautic, send } = await connect(1)
    const { emails } = mautic.double.data
    const changed = { sendToDnc: true, dateModified: '2026-11-29T10:00:00+00:00' }
    Object.assign(emails.get(excluded), changed)
    await readMauticChanges(shared.service)
    assert.match(await send(excluded, bulk), sent)
    emails.get(without).sendToDnc = true
    await synchronize(mautic)
    assert.match(await send(without, bulk), sent)
  })

  test('is read again within an hour where it is changed in the second of the last reading', async () => {
    const { mautic, send } = await connect(1)
    const email = mautic.double.data.emails.get(excluded)
    for (const [agoMs, sendToDnc] of [
      [0, false],
      [-90 * 60_000, false],
      [90 * 60_000, true],
    ] as const) {
      email.dateModified = new Date(Date.now() - agoMs).toISOString()
      email.sendToDnc = !sendToDnc
      await synchronize(mautic)
      email.sendToDnc = sendToDnc
      await synchronize(mautic)
      assert.match(await send(excluded, bulk), sendToDnc ? sent : withheld)
    }
  })

  test('is read of a new email whose list is short, as that of Mautic is', async () => {
    const { mautic, send } = await connect(1)
    for (let id = 10; id < 120; id += 1)
      mautic.double.data.emails.set(id, { ...createEmail(id), sendToDnc: id % 2 === 0 })
    await synchronize(mautic)
    mautic.double.requests.length = 0
    for (const id of [10, 118]) assert.match(await send(id, bulk), sent)
    for (const id of [11, 119]) assert.match(await send(id), withheld)
    await synchronize(mautic)
    const full = mautic.double.requests.filter(
      ({ path }) => path.startsWith('/api/emails?') && !path.includes('minimal'),
    )
    assert.equal(full.length, 1, 'what is known is not read again')
  })

  test('is waited for while its Mautic has not answered which email it is, then decides both ways', async () => {
    for (const [emailId, head, outcome] of [
      [included, bulk, sent],
      [excluded, '', withheld],
      [without, bulk, withheld],
      [without, '', sent],
    ] as const) {
      const { mautic, contact, submit } = await connect(1)
      const hash = uniqueHash()
      const stat = { tracking_hash: hash, email_id: `${emailId}`, lead_id: '1' }
      mautic.double.data.stats.push({ ...stat, email_address: contact })
      const answer = holdAnswers(mautic.double)
      assert.match(await submit(head, pixel(hash)), waits)
      answer()
      assert.match(await submit(head, pixel(hash)), outcome)
    }
  })

  test('is waited for while an email that the message names has not been read', async () => {
    const { mautic, send } = await connect(1)
    for (const [id, sendToDnc, head, outcome] of [
      [90, true, bulk, sent],
      [91, true, `${bulk}X-Contact-Id: 1\n`, sent],
      [92, false, '', withheld],
      [93, false, 'X-Contact-Id: 1\n', withheld],
    ] as const) {
      mautic.double.data.emails.set(id, { ...createEmail(id), sendToDnc })
      const answer = holdAnswers(mautic.double)
      assert.match(await send(id, head), waits)
      answer()
      assert.match(await send(id, head), outcome)
    }
  })

  test('does not count for an email that only a link to an unconfirmed contact names', async () => {
    const { mautic, submit } = await connect(1)
    for (const [email, contactId, head, outcome] of [
      [included, 7, bulk, withheld],
      [excluded, 6, '', sent],
    ] as const) {
      const text = `a:2:{s:5:"email";i:${email};s:4:"lead";s:1:"${contactId}";}`
      const ct = encodeURIComponent(Buffer.from(text).toString('base64'))
      const link = `https://brand.test/r/1?ct=${ct}`
      const answer = holdAnswers(mautic.double)
      assert.match(await submit(head, link), waits)
      answer()
      assert.match(await submit(head, link), outcome)
    }
  })

  test('is not waited for where no email has it, or the address has bounced', async () => {
    const [older, bounced] = [await connect(1), await connect(2)]
    const emails = shared.service.app.storage.tables<MauticTables>().updateTable('mautic_emails')
    const ofOlder = emails.set({ send_to_dnc: null }).where('mautic_id', '=', older.mautic.id)
    await ofOlder.execute()
    for (const [{ mautic, submit }, head, outcome] of [
      [older, '', sent],
      [older, bulk, withheld],
      [bounced, '', withheld],
    ] as const) {
      const answer = holdAnswers(mautic.double)
      assert.match(await submit(head, pixel(uniqueHash())), outcome)
      answer()
    }
  })

  test('keeps no other recipient of the message waiting, and none who has had it', async () => {
    const { mautic, contact, domain } = await connect(1)
    const other = `bob@${domain}`
    const text = `X-EMAIL-ID: 90\nMessage-ID: <several@a.test>\nFrom: news@${domain}\n\nHello\n`
    const message = { to: `${contact}, ${other}`, text, sender: `news@${domain}` }
    const answer = holdAnswers(mautic.double)
    const replies = () => submitMessage(shared.service, mautic, message)
    assert.deepEqual(await replies(), ['451 4.4.3', '250 2.0.0'])
    assert.deepEqual(await replies(), ['451 4.4.3', '250 2.0.0'])
    answer()
    const { body } = await ask('GET', `/api/deliveries?search=${domain}`)
    assert.deepEqual(
      body.deliveries.map((each: { recipient: string }) => each.recipient),
      [other],
    )
  })
})
