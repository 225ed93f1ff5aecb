import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { addTemplate } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { EmailReferences } from './email-references.ts'

onEachDatabase('an email that uses a template', (shared) => {
  let emailId: number
  before(async () => {
    const { service } = shared
    const { id } = await addTemplate(service, { name: 'Footer' })
    const email = { name: 'Autumn', subject: 'Hello', customHtml: `<p>{twigtemplate=${id}}</p>` }
    const answer = await service.ask('POST', '/api/emails/new', email)
    assert.equal(answer.status, 201, answer.text)
    emailId = answer.body.email.id
  })
  const open = () => new EmailReferences(shared.service.app.storage, { referencesOf: () => [] })
  const idsOf = async (references: EmailReferences) => {
    const ids: number[] = []
    for await (const { id } of references.read()) ids.push(id)
    return ids
  }

  test('is found by each of those who read at the same time', async () => {
    const references = open()
    const readers = Array.from({ length: 4 }, () => idsOf(references))
    for (const ids of await Promise.all(readers)) assert.deepEqual(ids, [emailId])
    assert.deepEqual(await idsOf(references), [emailId])
  })

  test('is found after its texts could not be read', async () => {
    const references = open()
    const db = shared.service.app.storage.tables<unknown>()
    await sql`alter table emails rename column plain_text to moved_text`.execute(db)
    try {
      await assert.rejects(idsOf(references), /plain_text/)
    } finally {
      await sql`alter table emails rename column moved_text to plain_text`.execute(db)
    }
    assert.deepEqual(await idsOf(references), [emailId])
  })
})
