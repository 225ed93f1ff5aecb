import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { uniqueName } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'

onMailyard('suppressions', { isOwn: true }, (shared) => {
  const { ask } = shared
  const create = async (values: object) => ask('POST', '/api/suppressions/new', values)
  const find = async (question: { recipients: string[]; from?: string; isBulk?: boolean }) => {
    const { recipients, from = 'example.com', isBulk = true } = question
    const asked = { recipients, senderDomains: [from], brand: 0, isBulk }
    const found = await shared.service.app.suppressions.findSuppressions(asked)
    return [...found].map(([address, { reason }]) => [address, reason])
  }
  const importCsv = (csv: string | Buffer, query = '') =>
    ask('POST', `/api/suppressions/import${query}`, csv, {
      headers: { 'content-type': 'text/csv' },
    })

  test('are created once for an address and a scope, and changed by the next request', async () => {
    const address = `${uniqueName('ann')}@example.net`
    const first = await create({ address, reason: 'unsubscribed', senderDomain: 'Example.COM' })
    const second = await create({
      address: address.toUpperCase(),
      reason: 'complained',
      senderDomain: 'example.com',
    })
    const other = await create({ address })
    assert.deepEqual([first.status, second.status, other.status], [201, 200, 201])
    assert.equal(second.body.suppression.id, first.body.suppression.id)
    const { body } = await ask('GET', `/api/suppressions?address=${address}`)
    assert.deepEqual(
      body.suppressions.map(({ reason, senderDomain }: Record<string, unknown>) => [
        reason,
        senderDomain,
      ]),
      [
        ['complained', 'example.com'],
        ['manual', null],
      ],
    )
  })

  test('of an atomic batch that fails are reported to no one', async () => {
    const address = `${uniqueName('ann')}@example.net`
    const taken = `${uniqueName('ben')}@example.net`
    const { id } = (await create({ address })).body.suppression
    await create({ address: taken })
    const reported: unknown[] = []
    shared.service.app.suppressions.hooks.added.add((added) => void reported.push(...added))
    const edits = [
      { id, reason: 'bounced' },
      { id, address: taken },
    ]
    const { body } = await ask('PATCH', '/api/suppressions/batch/edit?atomic=1', edits)
    assert.deepEqual([body.statusCodes, reported], [[424, 409], []])
  })

  test('are not published, so that no list of them asks for it', async () => {
    const { status, body } = await ask('GET', '/api/suppressions?search=is:published')
    assert.deepEqual([status, body.suppressions], [200, []])
    for (const path of ['suppressions', 'suppressions.csv']) {
      const { headers, text } = await ask('GET', `/api/${path}?published=1`)
      assert.match(`${String(headers['x-warnings'])} ${text}`, /published.*was ignored/)
    }
  })

  test('count for their sender domain, and the most serious reason counts', async () => {
    const name = uniqueName('ben')
    const [ben, eva, max] = ['ben', 'eva', 'max'].map((each) => `${each}.${name}@example.net`)
    await create({ address: ben, reason: 'unsubscribed', senderDomain: 'example.com' })
    await create({ address: ben, reason: 'bounced' })
    await create({ address: eva, reason: 'unsubscribed', senderDomain: 'bücher.example' })
    const recipients = [ben?.toUpperCase() ?? '', eva ?? '', max ?? '']
    assert.deepEqual(await find({ recipients }), [[ben?.toLowerCase(), 'bounced']])
    assert.deepEqual(await find({ recipients, from: 'xn--bcher-kva.example' }), [
      [ben?.toLowerCase(), 'bounced'],
      [eva?.toLowerCase(), 'unsubscribed'],
    ])
    const isBulk = false
    assert.deepEqual(
      await find({ recipients: [eva ?? ''], from: 'xn--bcher-kva.example', isBulk }),
      [],
    )
    assert.deepEqual(await find({ recipients, isBulk }), [[ben?.toLowerCase(), 'bounced']])
  })

  test('are listed by reason, page by page', async () => {
    const domain = `${uniqueName('list')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}.example`
    for (const reason of ['bounced', 'bounced', 'complained'])
      await create({ address: `${uniqueName(reason)}@example.net`, reason, senderDomain: domain })
    const query = `/api/suppressions?senderDomain=${domain}`
    const bounced = await ask('GET', `${query}&reason=bounced&limit=1`)
    assert.deepEqual([bounced.body.total, bounced.body.suppressions.length], [2, 1])
    const faulty = await ask('GET', `${query}&reason=gone`)
    assert.equal(faulty.status, 400)
  })

  test('are imported from CSV, and faulty rows are named', async () => {
    const name = uniqueName('import').toLowerCase()
    const rows = [
      'Email;Reason;Sender domain;Note',
      `"${name}.1@example.net";bounced;;x`,
      `${name}.2@example.net;;Example.org;`,
      'no address;bounced;;',
      `${name}.1@example.net;complained;;`,
      '',
    ]
    const { body, status } = await importCsv(rows.join('\r\n'), '?reason=unsubscribed')
    assert.equal(status, 200)
    assert.deepEqual([body.created, body.updated, body.failed], [2, 1, 1])
    assert.equal(body.faults[0].row, 4)
    const { text, headers } = await ask('GET', `/api/suppressions.csv?search=${name}`)
    assert.match(String(headers['content-type']), /^text\/csv/)
    const lines = text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').slice(1, 5))
    assert.deepEqual(lines, [
      [`${name}.1@example.net`, 'complained', '', 'import'],
      [`${name}.2@example.net`, 'unsubscribed', 'example.org', 'import'],
    ])
    const again = await importCsv(text)
    assert.deepEqual([again.body.created, again.body.updated, again.body.failed], [0, 2, 0])
  })

  /** Exports of other systems: with the query, and what is imported of each row. */
  const exports = readFileSync(new URL('exports.cases', import.meta.url), 'utf8')
  for (const block of exports.trim().split('\n\n').slice(1)) {
    const [, system, query, rows, csv = ''] =
      /^(.*?)( \?\S+)? => (.*)\n((?:.*\n?)*)$/.exec(block) ?? assert.fail(block)
    test(`are imported from an export of another system as it is: ${system}`, async () => {
      const name = uniqueName('other').toLowerCase()
      const text = csv.replaceAll(/@(\d)/g, (_, index) => `${name}.${index}@example.net`)
      const { body } = await importCsv(text, query?.trim())
      assert.equal(body.failed, 0, JSON.stringify(body))
      const list = await ask('GET', `/api/suppressions?search=${name}&orderBy=address`)
      const shown = list.body.suppressions.map(
        ({ reason, dateAdded }: TestBody) => `${reason} ${dateAdded.replace('+00:00', '')}`,
      )
      assert.equal(shown.join(', '), rows)
    })
  }

  test('are imported without rows whose reason or date is not understood, and the answer names them', async () => {
    const name = uniqueName('faulty').toLowerCase()
    const rows = [
      'created,email,reason',
      `2026-01-31,${name}.1@example.net,bounce`,
      `31/01/2026,${name}.2@example.net,bounce`,
      `2026-01-31,${name}.3@example.net,I am tired`,
      `2026-01-31,${name}.4@example.net,Subscribed`,
      `2026-01-31,${name}.5@example.net,421 4.7.0 try later`,
      `2026-02-30,${name}.6@example.net,bounce`,
    ]
    const imported = async (query: string) => {
      const { body } = await importCsv(rows.join('\n'), query)
      return [body.created, body.updated, ...body.faults.map(({ row }: TestBody) => row)]
    }
    assert.deepEqual(await imported(''), [1, 0, 3, 4, 5, 6, 7])
    assert.deepEqual(await imported('?reason=bounced'), [1, 1, 3, 5, 6, 7])
  })

  test('are imported from a file in UTF-16; one in another encoding is refused, and says what to do', async () => {
    const text = `Email\tReason\r\n${uniqueName('utf').toLowerCase()}.ö@example.net\tbounce\r\n`
    const files = [text, `\ufeff${text}`].map((each) => Buffer.from(each, 'utf16le'))
    for (const file of [...files, ...files.map((each) => Buffer.from(each).swap16())]) {
      const { body } = await importCsv(file)
      assert.deepEqual([body.created + body.updated, body.failed], [1, 0], JSON.stringify(body))
    }
    const latin = await importCsv(Buffer.from(text, 'latin1'))
    assert.deepEqual([latin.status, /"CSV UTF-8"/.test(latin.body.error)], [400, true])
  })

  test('of a file that breaks off are imported in part, and the error says up to which row', async () => {
    const name = uniqueName('broken').toLowerCase()
    const rows = Array.from({ length: 1_200 }, (_, index) => `${name}.${index}@example.net`)
    const broken = await importCsv(`email\n${rows.join('\n')}\n"open`)
    assert.equal(broken.status, 400)
    const upTo = Number(/rows up to (\d+)/.exec(broken.body.error)?.[1])
    const { body } = await ask('GET', `/api/suppressions?search=${name}&limit=1`)
    assert.equal(body.total, upTo - 1)
    const whole = await importCsv(`email\n${rows.join('\n')}`)
    assert.deepEqual([whole.body.created, whole.body.updated], [1_200 - body.total, body.total])
  })

  test('are imported from JSON', async () => {
    const address = `${uniqueName('json')}@example.net`
    const suppressions = [{ address }, { address, senderDomain: 'a b' }, {}]
    const { body } = await ask('POST', '/api/suppressions/import', { suppressions })
    assert.deepEqual([body.created, body.failed], [1, 2])
    assert.equal((await ask('POST', '/api/suppressions/import', {})).status, 400)
    assert.equal((await importCsv('name\nAnn')).status, 400)
  })

  test('that match a filter are counted, then deleted; one without a filter is refused', async () => {
    const source = `${uniqueName('old')}.csv`
    const suppressions = Array.from({ length: 1_100 }, (_, index) => ({
      address: `${uniqueName('matching')}@example.net`,
      reason: index < 3 ? 'complained' : 'unsubscribed',
      source,
    }))
    const kept = await create({ address: `${uniqueName('kept')}@example.net`, source: 'other' })
    await ask('POST', '/api/suppressions/import', { suppressions })
    const path = '/api/suppressions/delete'
    const listed = await ask('GET', `/api/suppressions?source=${source}&reason=complained`)
    assert.equal(listed.body.total, 3)
    const filter = { source, reason: 'unsubscribed' }
    const counted = await ask('POST', `${path}?dryRun=1`, filter)
    assert.deepEqual(counted.body, { suppressions: 1_097 })
    assert.deepEqual((await ask('POST', path, filter)).body, { suppressions: 1_097 })
    assert.deepEqual((await ask('POST', path, filter)).body, { suppressions: 0 })
    const left = await ask('POST', `${path}?dryRun=1`, { source })
    assert.deepEqual(left.body, { suppressions: 3 })
    const later = { source, addedSince: '2100-01-01T00:00:00Z' }
    assert.deepEqual((await ask('POST', path, later)).body, { suppressions: 0 })
    assert.equal((await ask('POST', path, {})).status, 400)
    assert.equal((await ask('POST', path, { unknown: source })).status, 400)
    for (const search of [' ', 'or', '!', '""', 'address:'])
      for (const more of [{}, { source }]) {
        const answer = await ask('POST', path, { search, ...more })
        assert.equal(answer.status, 400, `${search}: ${answer.text}`)
      }
    assert.equal((await ask('POST', path, { source, addedSince: 'today' })).status, 400)
    assert.equal((await ask('GET', `/api/suppressions/${kept.body.suppression.id}`)).status, 200)
    await ask('POST', path, { source })
  })

  test('of one brand are listed, exported and deleted without those of others', async () => {
    const brand = await addBrand(shared.service)
    const source = uniqueName('branded')
    const address = `${uniqueName('of-brand')}@example.net`
    await create({ address, source, brand })
    const kept = await create({ address: `${uniqueName('of-none')}@example.net`, source })
    const listed = await ask('GET', `/api/suppressions?brand=${brand}`)
    assert.deepEqual(
      listed.body.suppressions.map((each: TestBody) => each.address),
      [address],
    )
    const csv = await ask('GET', `/api/suppressions.csv?brand=${brand}`)
    assert.equal(csv.text.trim().split('\n').length, 2)
    const deleted = await ask('POST', '/api/suppressions/delete', { source, brand })
    assert.deepEqual(deleted.body, { suppressions: 1 })
    assert.equal((await ask('GET', `/api/suppressions/${kept.body.suppression.id}`)).status, 200)
  })

  test('that exist are not changed by what Mailyard adds itself', async () => {
    const address = `${uniqueName('kept')}@example.net`
    await create({ address, reason: 'manual' })
    const { suppressions } = shared.service.app
    await suppressions.add([{ address, reason: 'bounced', source: 'delivery 1' }])
    assert.deepEqual(await find({ recipients: [address] }), [[address.toLowerCase(), 'manual']])
  })

  test('that Mailyard adds twice at a time are added once, a complaint before an unsubscribe', async () => {
    const address = `${uniqueName('twice')}@example.net`
    const { suppressions } = shared.service.app
    const added = await suppressions.add([
      { address, reason: 'bounced', source: 'delivery 1' },
      { address: address.toUpperCase(), reason: 'complained', source: 'delivery 2' },
      { address, senderDomain: 'shop.test', reason: 'unsubscribed', source: 'delivery 3' },
      { address, senderDomain: 'SHOP.test', reason: 'complained', source: 'delivery 4' },
    ])
    const sources = added.map(({ source }) => source)
    assert.deepEqual(sources.toSorted(), ['delivery 1', 'delivery 4'])
    const reason = await suppressions.reasonFor(address, { brand: 0, senderDomain: 'shop.test' })
    assert.equal(reason, 'complained')
  })
})
