import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addBrandUser } from '../brand-callers.ts'
import {
  addClient,
  addEmail,
  addTemplate,
  addTransport,
  getClientToken,
  type TestUser,
  uniqueName,
} from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'
import { openDialogue } from '../smtp-dialogue.ts'

onMailyard('a user of a brand', (shared) => {
  let user: TestUser
  let bank: number
  let shop: number
  before(async () => {
    shop = await addBrand(shared.service, { domains: ['shop.test'] })
    bank = await addBrand(shared.service)
    user = await addBrandUser(shared.service, [shop])
  })

  test('uses neither transport, template, email nor contact of another brand', async (context) => {
    const { service, ask } = shared
    const as = user.as
    const vault = uniqueName('Vault')
    const { id } = await addTransport(service, { name: vault, brand: bank })
    const smtp = await openDialogue((await service.openSmtpServer()).port ?? 0)
    context.after(() => smtp.end())
    await smtp.say('EHLO client.test')
    await smtp.logIn(user.username, user.password)
    const from = 'news@shop.test'
    const submit = (transport: string | number) =>
      smtp.hand({
        ...{ from, to: ['ann@example.net'] },
        raw: `From: ${from}\r\nX-Mailyard-Transport: ${transport}\r\n\r\nx`,
      })
    const unknown = await submit('unknown')
    assert.match(unknown, /^[45]\d\d .*"unknown"/)
    for (const named of [id, vault])
      assert.equal((await submit(named)).replace(`"${named}"`, '"unknown"'), unknown)
    const email = await addEmail(service, { brand: shop, fromAddress: from })
    const assign = async (transportId: number) => {
      const path = `/api/multipleTransport/transportEmail/${email.id}`
      const { status, text } = await ask('POST', path, { transportId }, { as })
      assert.equal(status, 404, text)
      return text.replace(String(transportId), '{id}')
    }
    assert.equal(await assign(id), await assign(999_999))
    const secret = await addTemplate(service, { brand: bank, template: 'gold' })
    for (const named of [secret.name, `id:${secret.id}`]) {
      const draft = { template: `{{ include("${named}") }}` }
      const rendered = await ask('POST', '/api/twigTemplates/render', draft, { as })
      assert.doesNotMatch(rendered.text, /gold/)
    }
    const { contact } = await service.askFor('POST', '/api/contacts/new', {
      email: `${uniqueName('vip')}@example.net`,
      brand: bank,
    })
    const preview = { email: { subject: '{contactfield=firstname}' }, contactId: contact.id }
    assert.equal((await ask('POST', '/api/emails/preview', preview, { as })).status, 404)
  })

  test('gets neither another brand nor all of them by what it saves', async () => {
    const { service, ask } = shared
    const as = user.as
    const person = (brands: number[]) => ({
      username: uniqueName('person'),
      email: `${uniqueName('person')}@example.com`,
      role: 1,
      plainPassword: { password: 'a long password', confirm: 'a long password' },
      brands,
    })
    const edit = `/api/users/${user.id}/edit`
    for (const brands of [[], [bank], [shop, bank]]) {
      const expected = brands.length === 0 ? 400 : 403
      for (const [method, path, body] of [
        ['POST', '/api/users/new', person(brands)],
        ['PUT', edit, person(brands)],
        ['PATCH', edit, { brands }],
      ] as const)
        assert.equal(
          (await ask(method, path, body, { as })).status,
          expected,
          `${method} ${String(brands)}`,
        )
    }
    const { username, email, role } = (await ask('GET', `/api/users/${user.id}`)).body.user
    for (const by of [{ as }, {}]) {
      const kept = await ask('PUT', edit, { username, email, role: role.id }, by)
      assert.deepEqual([kept.status, kept.body.user.brands], [200, [shop]], kept.text)
    }
    const domains = ['bank.test']
    assert.equal((await ask('PATCH', `/api/brands/${shop}/edit`, { domains }, { as })).status, 403)
    assert.equal((await ask('POST', '/api/brands/new', { name: 'Mine' }, { as })).status, 403)
    for (const brand of [bank, null, 999_999]) {
      const { status } = await ask(
        'POST',
        '/api/multipleTransports/new',
        { name: 'x', mailerDsn: 'null://null', brand },
        { as },
      )
      assert.ok([403, 404].includes(status), `${brand}: ${status}`)
      const client = { name: 'x', grantTypes: ['client_credentials'], role: 1, brand }
      assert.ok(
        [403, 404].includes((await ask('POST', '/api/oauthClients/new', client, { as })).status),
      )
    }
    const own = await addClient(service, {
      grantTypes: ['client_credentials'],
      role: 1,
      brand: shop,
    })
    const { access_token: token } = await getClientToken(service, own)
    const { body } = await ask('GET', '/api/brands', undefined, { as: { token } })
    assert.deepEqual(
      body.brands.map(({ id }: { id: number }) => id),
      [shop],
    )
  })
})
