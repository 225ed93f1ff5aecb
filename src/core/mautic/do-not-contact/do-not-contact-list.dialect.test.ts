import assert from 'node:assert/strict'
import { afterEach, beforeEach, type TestContext, test } from 'node:test'
import { createContact, setFields } from '../../../../test/mautic-double/mautic-data.ts'
import {
  type MauticDouble,
  startMauticDouble,
} from '../../../../test/mautic-double/mautic-double.ts'
import { type Json, readRecording } from '../../../../test/mautic-double/recordings.ts'
import {
  addBrand,
  callWebhook,
  changesOf,
  connectMautic,
  createChange,
  markReinstalled,
  readMauticChanges,
  synchronizeMautic,
} from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { until } from '../../../../test/until.ts'
import { createLog } from '../../../kit/log.ts'
import type { MauticTables } from '../table.ts'
import { DoNotContactList, type DoNotContactListOptions } from './do-not-contact-list.ts'

const [recorded] = readRecording('095').response.body.stats
const listPath = '/api/stats/lead_donotcontact'
const domain = 'brand.test'

onEachDatabase("a Mautic's list of Do not contact", { isStarted: false }, (shared) => {
  let double: MauticDouble
  let id: number
  beforeEach(async () => {
    double = await startMauticDouble({ emails: 3, users: 2, contacts: 0 })
    id = await connect()
  })
  afterEach(async () => {
    await ask('DELETE', `/api/mautics/${id}/delete`)
    await double.close()
  })

  const { ask } = shared
  const tables = () => shared.service.app.storage.tables<MauticTables>()
  const connect = async (to = double): Promise<number> =>
    (await connectMautic(shared.service, to)).id
  /** Connects another Mautic that sends from the domain; it is closed with the test. */
  const connectElsewhere = async (context: TestContext) => {
    const elsewhere = await startMauticDouble({ emails: 3, users: 2, contacts: 0 })
    const otherId = await connect(elsewhere)
    context.after(async () => {
      await ask('DELETE', `/api/mautics/${otherId}/delete`)
      await elsewhere.close()
    })
    await shared.service.app.mautics.senderDomains.note(otherId, [domain])
    return { elsewhere, otherId }
  }
  /** The first message of the Mautic shows the domain. */
  const sendFrom = (...domains: string[]) =>
    shared.service.app.mautics.senderDomains.note(id, domains)
  const synchronize = () => synchronizeMautic(shared.service, id)
  const readChanges = () => readMauticChanges(shared.service)
  const idle = () => shared.service.app.mautics.idle()
  const statusOf = async () => (await ask('GET', `/api/mautics/${id}`)).body.mautic.status
  /** Adds a contact, whose address is of this test alone; returns the address. */
  const addContact = (contactId: number, email = `c${contactId}-${id}@rcpt.test`) => {
    const contact = createContact(contactId)
    setFields(contact, { email })
    double.data.contacts.set(contactId, contact)
    return email
  }
  const stamp = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  /** Puts a contact on the list. */
  const list = (contactId: number, values: Json = {}) => {
    const entries = double.data.doNotContact
    const entryId = values.id ?? String(Number(entries.at(-1)?.id ?? 0) + 1)
    const at = { date_added: stamp(Date.now()) }
    const entry = { ...recorded, ...at, lead_id: String(contactId), ...values, id: entryId }
    entries.push(entry)
    return entry
  }
  const unlist = (...contactIds: number[]) => {
    const isGone = ({ lead_id }: Json) => contactIds.includes(Number(lead_id))
    double.data.doNotContact = double.data.doNotContact.filter((entry) => !isGone(entry))
  }
  const listed = (contactId: number, values: Json = {}) => {
    const address = addContact(contactId)
    list(contactId, values)
    return address
  }
  const suppressionsOf = async (address: string): Promise<Json[]> =>
    (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions
  const domainsOf = async (address: string) =>
    (await suppressionsOf(address)).map(({ senderDomain }) => senderDomain).sort()
  const entriesOf = async () => {
    const query = tables().selectFrom('mautic_list_entries').selectAll()
    return query.where('mautic_id', '=', id).orderBy('id').execute()
  }
  const requestsTo = (path: string) =>
    double.requests
      .filter((request) => request.path.startsWith(path))
      .map((request) => new URL(request.path, double.url).searchParams)
  /** Lets the answers of contacts wait: what was read of the list before is old when they come. */
  const holdContacts = () => {
    const { promise, resolve: release } = Promise.withResolvers<undefined>()
    double.behaviour.fault = ({ path }) =>
      path.startsWith('/api/contacts?') && path.includes('col%5D=id') ? promise : undefined
    double.requests.length = 0
    return {
      reached: () =>
        until(
          () => requestsTo('/api/contacts').some((query) => query.get('where[0][col]') === 'id'),
          'contacts are asked for',
        ),
      release: () => release(undefined),
    }
  }
  const postChange = async (contactId: number, address: string, status: string, at: number) => {
    const { webhook } = (await ask('POST', `/api/mautics/${id}/webhook`, { acceptsUnproven: true }))
      .body
    const { secret } = double.data.hooks.get(webhook.id)
    const body = changesOf(createChange(address, { status, at, contactId }))
    const answer = await callWebhook(shared.service, { id, secret }, body)
    assert.equal(answer.status, 200, answer.text)
  }

  test('that is older than the connection is taken over, for email and the domains of this Mautic only', async () => {
    await sendFrom('a.test', 'b.test')
    const old = '2020-01-31 10:00:00'
    const addresses = ['1', '2', '3', '9'].map((reason, index) =>
      listed(index + 1, { reason, date_added: old }),
    )
    const bySms = listed(5, { channel: 'sms' })
    addContact(6, '')
    list(6)
    list(7)
    await synchronize()
    const expected = ['unsubscribed', 'bounced', 'manual', 'manual']
    for (const [index, address] of addresses.entries()) {
      const suppressions = await suppressionsOf(address)
      assert.deepEqual(await domainsOf(address), ['a.test', 'b.test'])
      for (const { reason, source } of suppressions)
        assert.deepEqual([reason, source], [expected[index], `mautic ${id}`])
    }
    assert.deepEqual(await suppressionsOf(bySms), [])
    assert.equal((await statusOf()).problem, null)
  })

  test('is applied to a domain when the first message shows it, and to no other one', async () => {
    const address = listed(1)
    await synchronize()
    assert.deepEqual(await suppressionsOf(address), [])
    await double.stop()
    await sendFrom(domain)
    await idle()
    assert.deepEqual(await domainsOf(address), [domain])
    await sendFrom(domain, 'later.test')
    await idle()
    assert.deepEqual(await domainsOf(address), [domain, 'later.test'])
    await double.start()
  })

  test('of a Mautic with a brand is applied before it has sent anything, and to the brand that it gets later', async () => {
    const brands = [await addBrand(shared.service), await addBrand(shared.service)]
    const address = listed(1)
    for (const brand of brands) {
      await ask('PATCH', `/api/mautics/${id}/edit`, { brand })
      await synchronize()
    }
    const found = await suppressionsOf(address)
    assert.deepEqual(
      found.map((each) => each.brand).sort((one, two) => one - two),
      brands,
    )
  })

  test('of a Mautic with a brand is applied to the brand once, whatever domains it sends from', async () => {
    const brand = await addBrand(shared.service)
    const before = listed(1)
    await sendFrom(domain)
    await synchronize()
    await ask('PATCH', `/api/mautics/${id}/edit`, { brand })
    const later = listed(2)
    await synchronize()
    const scopesOf = async (address: string) =>
      (await suppressionsOf(address)).map((each) => [each.brand, each.senderDomain])
    assert.deepEqual(
      (await scopesOf(before)).sort(),
      [
        [undefined, domain],
        [brand, null],
      ].sort(),
    )
    assert.deepEqual(await scopesOf(later), [[brand, null]])
    const [deleted] = await suppressionsOf(later)
    await ask('DELETE', `/api/suppressions/${deleted.id}/delete`)
    await sendFrom('new.test')
    await synchronize()
    assert.deepEqual(await scopesOf(later), [])
    const named = addContact(3)
    await postChange(3, named, 'unsubscribed', Date.now())
    await idle()
    assert.deepEqual(await scopesOf(named), [[brand, null]])
    unlist(1)
    await synchronize()
    assert.deepEqual(await scopesOf(before), [])
  })

  test('that was changed while Mailyard was away is found without reading the whole list', async () => {
    await sendFrom(domain)
    const first = listed(1, { date_added: '2020-01-31 10:00:00' })
    await synchronize()
    const second = listed(2)
    // Mautic's clock may be behind.
    const third = listed(3, { date_added: stamp(Date.now() - 300_000) })
    double.requests.length = 0
    await readChanges()
    for (const address of [first, second, third])
      assert.deepEqual(await domainsOf(address), [domain])
    const requests = requestsTo(listPath)
    assert.equal(requests.length, 1)
    assert.equal(requests[0]?.get('where[1][col]'), 'date_added')
  })

  test('ends a suppression when a full reading finds the entry removed', async () => {
    await sendFrom(domain)
    const [kept, removed] = [listed(1), listed(2)]
    for (const contactId of [3, 4, 5]) listed(contactId)
    await synchronize()
    unlist(2)
    await readChanges()
    assert.deepEqual(await domainsOf(removed), [domain])
    await synchronize()
    assert.deepEqual(await domainsOf(removed), [])
    assert.deepEqual(await domainsOf(kept), [domain])
  })

  test('never ends a suppression that a person or a bounce has made', async () => {
    await sendFrom(domain)
    const [manual, bounced] = [listed(1), listed(2)]
    await ask('POST', '/api/suppressions/new', { address: manual, senderDomain: domain })
    const source = 'delivery 12'
    const { suppressions } = shared.service.app
    await suppressions.add([{ address: bounced, reason: 'bounced', senderDomain: domain, source }])
    await synchronize()
    unlist(1, 2)
    await synchronize()
    const sourcesOf = async (address: string) =>
      (await suppressionsOf(address)).map((each) => each.source)
    assert.deepEqual([await sourcesOf(manual), await sourcesOf(bounced)], [[null], [source]])
  })

  test('keeps an address suppressed until no contact with it is listed', async () => {
    await sendFrom(domain)
    const address = listed(1)
    addContact(2, address.toUpperCase())
    list(2)
    await synchronize()
    assert.equal((await suppressionsOf(address)).length, 1)
    unlist(1)
    await synchronize()
    assert.deepEqual(await domainsOf(address), [domain])
    unlist(2)
    await synchronize()
    assert.deepEqual(await domainsOf(address), [])
  })

  test('does not bring a suppression back that a person has deleted, until the entry changes', async () => {
    await sendFrom(domain)
    const address = listed(1)
    await synchronize()
    const [suppression] = await suppressionsOf(address)
    await ask('DELETE', `/api/suppressions/${suppression.id}/delete`)
    await synchronize()
    await readChanges()
    assert.deepEqual(await suppressionsOf(address), [])
    unlist(1)
    list(1, { id: '9', reason: '1' })
    await readChanges()
    assert.equal((await suppressionsOf(address))[0]?.reason, 'unsubscribed')
  })

  test('follows a contact to its new address', async () => {
    await sendFrom(domain)
    const before = listed(1)
    await synchronize()
    const later = addContact(1, `moved-${id}@rcpt.test`)
    await synchronize()
    assert.deepEqual([await domainsOf(before), await domainsOf(later)], [[], [domain]])
  })

  test('has entries that Mailyard reported; they become no suppressions', async () => {
    await sendFrom(domain)
    const { reports } = shared.service.app.mautics
    const address = addContact(1)
    const report = { mauticId: id, address, contactId: 1, emailId: 17, comments: 'gone' }
    await reports.add([{ ...report, reason: 'bounced' }])
    list(1, { comments: 'gone' })
    await synchronize()
    await readChanges()
    await sendFrom('later.test')
    await synchronize()
    assert.deepEqual(await suppressionsOf(address), [])
  })

  test('that was read before a report is taken back does not bring the entry back', async () => {
    await sendFrom(domain)
    const address = addContact(1)
    const suppression = { address, reason: 'unsubscribed', senderDomain: domain }
    const created = (await ask('POST', '/api/suppressions/new', suppression)).body.suppression
    const worker = (await shared.openAnother({ isStarted: false })).app.mautics.reports.outbox
    worker.start()
    await worker.idle()
    assert.equal(double.data.doNotContact.length, 1)
    const held = holdContacts()
    const reading = synchronize()
    await held.reached()
    await ask('DELETE', `/api/suppressions/${created.id}/delete`)
    await worker.idle()
    assert.equal((await ask('GET', `/api/mautics/${id}/reports`)).body.total, 0)
    held.release()
    await reading
    assert.deepEqual(double.data.doNotContact, [])
    assert.deepEqual(await suppressionsOf(address), [])
    await worker.stop()
  })

  test('and a webhook lead to one suppression, in any order', async () => {
    await sendFrom(domain)
    const [readFirst, postedFirst] = [listed(1), addContact(2)]
    const now = shared.clock.now()
    await synchronize()
    await postChange(1, readFirst, 'bounced', now)
    await postChange(2, postedFirst, 'bounced', now)
    list(2)
    await readChanges()
    for (const address of [readFirst, postedFirst])
      assert.deepEqual(await domainsOf(address), [domain])
  })

  test('that was read before a webhook tells of a removal changes nothing', async () => {
    await sendFrom(domain)
    const address = listed(1)
    const held = holdContacts()
    const reading = synchronize()
    await held.reached()
    unlist(1)
    await postChange(1, address, 'contactable', shared.clock.now())
    held.release()
    await reading
    assert.deepEqual(await suppressionsOf(address), [])
    list(1, { id: '2' })
    await readChanges()
    assert.deepEqual(await domainsOf(address), [domain])
  })

  test('keeps an entry that is newer than the removal that a webhook tells of', async () => {
    await sendFrom(domain)
    const address = listed(1)
    await synchronize()
    await postChange(1, address, 'contactable', Date.now() - 60_000)
    assert.deepEqual(await domainsOf(address), [domain])
    await postChange(1, address, 'contactable', Date.now() + 1_000)
    assert.deepEqual(await domainsOf(address), [])
  })

  test('that breaks off is read on from there by another process, and counts as no removal', async () => {
    await sendFrom(domain)
    const addresses = [1, 2, 3].map((contactId) => addContact(contactId))
    for (let count = 1; count <= 2_500; count += 1) list((count % 2) + 1)
    list(3)
    await synchronize()
    assert.equal((await entriesOf()).length, 2_501)
    double.data.doNotContact[0].reason = '1'
    let pages = 0
    double.behaviour.fault = ({ path }) =>
      path.startsWith(listPath) && !path.includes('date_added') && ++pages === 3 ? 500 : undefined
    await synchronize()
    const failed = await statusOf()
    assert.match(failed.problem, /lead_donotcontact was answered 500/)
    for (const address of addresses) assert.deepEqual(await domainsOf(address), [domain])
    double.behaviour.fault = () => undefined
    unlist(3)
    double.requests.length = 0
    await readMauticChanges(await shared.openAnother({ isStarted: false }))
    const whole = requestsTo(listPath).filter((query) => !query.has('where[1][col]'))
    assert.deepEqual(
      whole.map((query) => query.get('where[0][val]')),
      ['2000'],
    )
    assert.equal((await statusOf()).problem, null)
    assert.equal((await entriesOf()).length, 2_500)
    assert.deepEqual(await domainsOf(addresses[2] ?? ''), [])
  })

  test('that is empty at once ends no suppression until it was so for a day', async () => {
    await sendFrom(domain)
    const addresses = [1, 2, 3, 4, 5, 6].map((contactId) => listed(contactId))
    await synchronize()
    const entries = double.data.doNotContact
    double.data.doNotContact = []
    await synchronize()
    await synchronize()
    await readChanges()
    assert.match((await statusOf()).problem, /^6 entries of Do not contact, most of the list/)
    for (const address of addresses) assert.deepEqual(await domainsOf(address), [domain])
    double.data.doNotContact = entries
    await synchronize()
    assert.equal((await statusOf()).problem, null)
    double.data.doNotContact = []
    await synchronize()
    const aged = tables().updateTable('mautic_list_entries').set({ missing_since: 1 })
    await aged.where('mautic_id', '=', id).execute()
    await synchronize()
    assert.equal((await statusOf()).problem, null)
    for (const address of addresses) assert.deepEqual(await domainsOf(address), [])
  })

  test('that the role may not read is named, and the rest is synchronized', async () => {
    double.behaviour.fault = ({ path }) => (path.startsWith('/api/stats') ? 403 : undefined)
    await synchronize()
    const { emails, users, problem, dateRead, dateReadAll } = await statusOf()
    assert.deepEqual([emails, users], [3, 2])
    assert.match(problem, /lead_donotcontact was answered 403: .* role that may do this/)
    assert.notEqual(dateRead, null)
    assert.equal(dateRead, dateReadAll)
    double.requests.length = 0
    await readChanges()
    assert.ok(requestsTo('/api/emails').every((query) => query.has('where[1][col]')))
  })

  test('of a Mautic that was reinstalled is read from its beginning once that is accepted', async () => {
    await sendFrom(domain)
    const before = listed(1)
    await synchronize()
    await markReinstalled(shared.service, id)
    const later = addContact(1, `other-${id}@rcpt.test`)
    await synchronize()
    assert.deepEqual(await suppressionsOf(later), [])
    await ask('POST', `/api/mautics/${id}/accept`)
    await synchronize()
    assert.deepEqual([await domainsOf(later), await domainsOf(before)], [[domain], [domain]])
  })

  /** Reads the list of this Mautic with other bounds than those of the service. */
  const readBounded = async (bounds: Pick<DoNotContactListOptions, 'budgetMs' | 'entriesMax'>) => {
    const { storage, suppressions, mautics } = shared.service.app
    const log = createLog('silent')
    const bounded = new DoNotContactList({ storage, suppressions, log, ...bounds })
    return bounded.synchronize({
      mauticId: id,
      client: await mautics.clients.get(id),
      isAll: false,
      signal: new AbortController().signal,
    })
  }

  test('that has no end is not read any further, and what was read stays in force', async () => {
    await sendFrom(domain)
    const addresses = [1, 2, 3].map((contactId) => listed(contactId))
    await readBounded({ entriesMax: 2 })
    await assert.rejects(
      readBounded({ entriesMax: 2 }),
      /^MauticError: The list of Do not contact has more than 2 entries\. .*connection/,
    )
    for (const address of addresses) assert.deepEqual(await domainsOf(address), [domain])
    assert.equal((await readBounded({ entriesMax: 3 })).problem, null)
  })

  test('with more changes than one run can read is read on by the next ones', async () => {
    await sendFrom(domain)
    const first = listed(1)
    await synchronize()
    addContact(2)
    for (let count = 1; count <= 2_500; count += 1) list(2)
    const last = listed(3)
    let runs = 1
    while ((await readBounded({ budgetMs: 0 })).hasMore) runs += 1
    assert.equal(runs, 3)
    assert.equal((await entriesOf()).length, 2_502)
    for (const address of [first, last]) assert.deepEqual(await domainsOf(address), [domain])
    assert.equal((await readBounded({})).hasMore, false)
  })

  test('that cannot be read is a problem, and changes nothing', async () => {
    await sendFrom(domain)
    const known = listed(1)
    await synchronize()
    unlist(1)
    const added = listed(2)
    const stats = Array.from({ length: 1_001 }, (_, id) => ({ ...recorded, id: `${id + 1}` }))
    const contacts = '/api/contacts'
    for (const [path, fault, problem] of [
      [listPath, 'html', /not JSON/],
      [listPath, { body: { total: '5000', stats } }, /1001 entries/],
      [contacts, { body: { total: '1' } }, /has no contacts/],
      [contacts, { body: { total: '1', contacts: null } }, /has no contacts/],
      [contacts, { body: [] }, /has no contacts/],
    ] as const) {
      double.behaviour.fault = (request) => (request.path.startsWith(path) ? fault : undefined)
      await synchronize()
      assert.match((await statusOf()).problem, problem)
      assert.deepEqual([await domainsOf(known), await domainsOf(added)], [[domain], []])
    }
    double.behaviour.fault = () => undefined
    await synchronize()
    assert.deepEqual(await domainsOf(added), [domain])
  })

  test('of a Mautic that is connected again ends the suppressions of the deleted connection', async () => {
    await sendFrom(domain)
    const address = listed(1)
    const byPerson = listed(2)
    const source = 'mautic import'
    await ask('POST', '/api/suppressions/new', { address: byPerson, senderDomain: domain, source })
    for (const contactId of [3, 4, 5]) listed(contactId)
    await synchronize()
    await ask('DELETE', `/api/mautics/${id}/delete`)
    const before = id
    id = await connect()
    assert.notEqual(id, before)
    await sendFrom(domain)
    await synchronize()
    assert.equal((await suppressionsOf(address))[0]?.source, `mautic ${id}`)
    assert.equal((await suppressionsOf(byPerson))[0]?.source, source)
    unlist(1)
    await synchronize()
    assert.deepEqual(await suppressionsOf(address), [])
  })

  test('is not mixed with that of another Mautic', async () => {
    await sendFrom(domain)
    const address = listed(1)
    const other = await connect()
    await shared.service.app.mautics.senderDomains.note(other, ['other.test'])
    await synchronize()
    assert.deepEqual(await domainsOf(address), [domain])
    await synchronizeMautic(shared.service, other)
    assert.deepEqual(await domainsOf(address), [domain, 'other.test'])
    await ask('DELETE', `/api/mautics/${other}/delete`)
  })

  test('takes back what was reported of its entries to other Mautics with the same domain', async (context) => {
    await sendFrom(domain)
    const address = listed(1, { reason: '1' })
    for (const contactId of [2, 3]) listed(contactId, { reason: '1' })
    const { elsewhere } = await connectElsewhere(context)
    for (const [contactId, contact] of double.data.contacts)
      elsewhere.data.contacts.set(contactId, contact)
    const worker = (await shared.openAnother({ isStarted: false })).app.mautics.reports.outbox
    worker.start()
    const reported = async () => {
      await worker.idle()
      return elsewhere.data.doNotContact.map(({ lead_id }) => lead_id).sort()
    }
    await synchronize()
    assert.deepEqual(await reported(), ['1', '2', '3'])
    unlist(1)
    await postChange(1, address, 'contactable', Date.now() + 1_000)
    assert.deepEqual(await reported(), ['2', '3'])
    unlist(2)
    await synchronize()
    assert.deepEqual(await reported(), ['3'])
    await worker.stop()
  })

  test('keeps an address suppressed that another Mautic with the same domain has taken off its own', async (context) => {
    await sendFrom(domain)
    const address = listed(1)
    const { elsewhere, otherId: other } = await connectElsewhere(context)
    elsewhere.data.contacts.set(1, double.data.contacts.get(1))
    elsewhere.data.doNotContact.push(...double.data.doNotContact)
    await synchronizeMautic(shared.service, other)
    await synchronize()
    assert.equal((await suppressionsOf(address))[0]?.source, `mautic ${other}`)
    elsewhere.data.doNotContact = []
    await synchronizeMautic(shared.service, other)
    await idle()
    // Of the Mautic that still has it on its list.
    assert.equal((await suppressionsOf(address))[0]?.source, `mautic ${id}`)
  })
})
