import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { ask, transport } from '../processes/client.ts'
import { volume } from '../volume.ts'

const clients = volume({ short: 10, full: 20 })
const editsEach = volume({ short: 2, full: 5 })
const path = '/api/multipleTransports'

for (const { name, createMigrated } of testDatabases) {
  describe(`${clients} clients at once on the same records, on ${name}`, () => {
    let database: TestDatabase
    const services: MailyardProcess[] = []
    const serviceOf = (client: number) => services[client % services.length] as MailyardProcess
    const createTransport = async () =>
      (await ask(serviceOf(0), `${path}/new`, { method: 'POST', body: transport('0') })).body
        .id as number

    before(async () => {
      database = await createMigrated()
      const options = { databaseUrl: database.url, env: apiSettings }
      const processes = name === 'PostgreSQL' ? 3 : 1
      for (let each = 0; each < processes; each += 1) services.push(await startMailyard(options))
    })

    after(async () => {
      await Promise.all(services.map((service) => service.stop()))
      await database.drop()
    })

    test('no edit that names its version is lost: each is saved or refused', async () => {
      const id = await createTransport()
      const statuses: number[] = []
      await everyClient(async (client) => {
        for (let saved = 0; saved < editsEach; ) {
          const status = await increment(serviceOf(client), id)
          statuses.push(status)
          if (status === 200) saved += 1
        }
      })
      assert.deepEqual([...new Set(statuses)].sort(), [200, 409])
      const { body } = await ask(serviceOf(0), `${path}/${id}`)
      assert.equal(body.description, String(clients * editsEach))
    })

    test('edits of different fields do not undo each other', async () => {
      const id = await createTransport()
      const fields = ['name', 'description', 'testedEmailFrom', 'mailerDsn'] as const
      const last = new Map<string, Set<string>>(fields.map((field) => [field, new Set()]))
      await everyClient(async (client) => {
        const field = fields[client % fields.length] ?? 'name'
        const value = makeValue(field, client)
        for (let edit = 0; edit < editsEach; edit += 1) {
          const question = { method: 'PATCH', body: { [field]: value } }
          assert.equal((await ask(serviceOf(client), `${path}/${id}/edit`, question)).status, 200)
        }
        last.get(field)?.add(value)
      })
      const { body } = await ask(serviceOf(0), `${path}/${id}`)
      for (const field of fields)
        assert.ok(last.get(field)?.has(body[field]), `${field}: ${body[field]}`)
    })

    test('edits, replacements and removals of one record end in one of them, with no fault of ours', async () => {
      const id = await createTransport()
      const statuses = new Set<number>()
      await everyClient(async (client) => {
        const service = serviceOf(client)
        const put = { method: 'PUT', body: transport(`put ${client}`) }
        const patch = { method: 'PATCH', body: { isPublished: client % 2 === 0 } }
        const remove = { method: 'DELETE' }
        statuses.add((await ask(service, `${path}/${id}/edit`, patch)).status)
        statuses.add((await ask(service, `${path}/${id}/edit`, put)).status)
        if (client % 5 === 0)
          statuses.add((await ask(service, `${path}/${id}/delete`, remove)).status)
      })
      for (const status of statuses) assert.ok([200, 201, 404].includes(status), String(status))
      assert.equal((await ask(serviceOf(0), `${path}/${id}`)).status, 404)
    })

    test('batches that edit the same records in different orders all go through', async () => {
      const ids = await Promise.all(Array.from({ length: 30 }, createTransport))
      await everyClient(async (client) => {
        const order = client % 2 === 0 ? ids : ids.toReversed()
        const body = order.map((id) => ({ id, description: `by ${client}` }))
        const question = { method: 'PATCH', body }
        const answer = await ask(serviceOf(client), `${path}/batch/edit?atomic=1`, question)
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      })
      const all = await Promise.all(ids.map((id) => ask(serviceOf(id), `${path}/${id}`)))
      assert.equal(new Set(all.map(({ body }) => body.description)).size, 1)
    })
  })
}

async function everyClient(work: (client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
}

async function increment(service: MailyardProcess, id: number): Promise<number> {
  const headers = { authorization: asAdmin }
  const current = await fetch(`${service.url}${path}/${id}`, { headers })
  const { description } = (await current.json()) as { description: string }
  const ifMatch = { 'if-match': current.headers.get('etag') ?? '' }
  const body = { description: String(Number(description) + 1) }
  return (await ask(service, `${path}/${id}/edit`, { method: 'PATCH', body, headers: ifMatch }))
    .status
}

function makeValue(field: string, client: number): string {
  if (field === 'testedEmailFrom') return `client${client}@example.com`
  if (field === 'mailerDsn') return `smtp://user:secret${client}@smtp.example.com`
  return `${field} of ${client}`
}
