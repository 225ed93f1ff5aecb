import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBrandUser } from '../../../test/brand-callers.ts'
import { addEmail, addTransport, uniqueName } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

onMailyard('the senders of a brand', (shared) => {
  test('are hidden from callers of another one: neither their domains, nor how many there are', async () => {
    const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const ownTransport = (await addTransport(shared.service, { brand })).id
    const hidden = (await addTransport(shared.service, { brand: other })).id
    const prefix = uniqueName('sender')
    const domains = ['own', 'mail', 'email', 'test'].map((name) => `${prefix}-${name}.example`)
    const [own = '', mail = '', email = '', tested = ''] = domains
    const { uses } = shared.service.app.senders.domains
    const note = (domain: string, ofBrand: number, transportId: number) =>
      uses.note({ domain, envelopeDomain: domain, transportId, brand: ofBrand })
    note(own, brand, ownTransport)
    for (const domain of [own, mail]) note(domain, other, hidden)
    await uses.flushing.run()
    await addEmail(shared.service, { fromAddress: `news@${email}`, brand: other })
    const test = `/api/multipleTransports/${hidden}/edit`
    await shared.askFor('PATCH', test, { testedEmailFrom: `news@${tested}` })
    shared.clock.advance(11_000)
    const { as } = await addBrandUser(shared.service, [brand])
    const ask = (method: 'GET' | 'POST', path: string) =>
      shared.ask(method, `/api/senders${path}`, undefined, { as })
    const list = (await ask('GET', `?search=${prefix}`)).body
    assert.deepEqual(
      [list.total, list.senders.map(({ domain }: { domain: string }) => domain)],
      [1, [own]],
    )
    const all = `/api/senders?search=${prefix}`
    assert.equal((await shared.askFor('GET', all)).total, 4)
    const ofBrand = await shared.askFor('GET', `${all}&brand=${brand}`)
    assert.deepEqual([ofBrand.total, ofBrand.senders[0].transports.length], [1, 1])
    assert.equal((await shared.askFor('GET', `${all}&brand=${other}`)).total, 4)
    assert.equal((await ask('GET', `?search=${prefix}&brand=${other}`)).body.total, 0)
    assert.equal((await ask('GET', `?search=${prefix}&transport=${hidden}`)).body.total ?? 0, 0)
    for (const method of ['GET', 'POST'] as const) {
      const url = (id: number) => `/${own}${method === 'GET' ? '' : '/check'}?transport=${id}`
      const [found, missing] = [await ask(method, url(hidden)), await ask(method, url(999_999))]
      assert.deepEqual([found.status, missing.status], [404, 404])
      assert.equal(found.text, missing.text)
    }
    // A domain of others looks as one that is not sent.
    const { body } = await ask('GET', `/${mail}`)
    const { body: unknown } = await ask('GET', `/${prefix}-unknown.example`)
    const shown = ({ sender }: { sender: Record<string, unknown> }) => [
      sender['sources'],
      sender['lastUsedAt'],
    ]
    assert.deepEqual(shown(body), shown(unknown))
  })
})
