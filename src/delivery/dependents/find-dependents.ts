import type { Kysely } from 'kysely'
import type { EmailRow, EmailTables } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import type { TemplateRow, TemplateSources, TemplateTables } from '../../templates/index.ts'
import { emailReferences } from '../rendering/email-renderer.ts'

/** A template or an email that uses a template, directly or through other templates. */
export interface Dependent {
  kind: 'template' | 'email'
  id: number
  name: string
  isDirect: boolean
}

/** Finds the templates and emails that use a template. */
export type FindDependents = (template: Pick<TemplateRow, 'id' | 'name'>) => Promise<Dependent[]>

const rowsPerBatch = 200

export function createFindDependents(storage: Storage, sources: TemplateSources): FindDependents {
  const db = storage.tables<TemplateTables & EmailTables>()
  return async (template) => {
    const templates = await findTemplates(db, template)
    const reached = new Set(templates.flatMap(namesOf))
    const direct = new Set(namesOf(template))
    const emails: Dependent[] = []
    for await (const row of emailsWithTemplates(db)) {
      const references = emailReferences(row, sources)
      const names = references.flatMap((reference) => reference.names.map(nameKey))
      const isDirect = names.some((name) => direct.has(name))
      if (isDirect || names.some((name) => reached.has(name)))
        emails.push({ kind: 'email', id: row.id, name: row.name, isDirect })
    }
    return [...templates, ...emails]
  }
}

interface Node {
  id: number
  name: string
  refersTo: readonly string[]
}

/** Searches breadth-first: the templates that refer to it, those that refer to them, and so on. */
async function findTemplates(
  db: Kysely<TemplateTables>,
  template: Pick<TemplateRow, 'id' | 'name'>,
): Promise<Dependent[]> {
  const nodes = await readNodes(db)
  const found = new Map<number, Dependent>()
  let names = new Set(namesOf(template))
  for (let isDirect = true; names.size > 0; isDirect = false) {
    const next = nodes.filter(
      ({ id, refersTo }) =>
        id !== template.id && !found.has(id) && refersTo.some((name) => names.has(name)),
    )
    for (const { id, name } of next) found.set(id, { kind: 'template', id, name, isDirect })
    names = new Set(next.flatMap(namesOf))
  }
  return [...found.values()].sort((one, other) => one.id - other.id)
}

async function readNodes(db: Kysely<TemplateTables>): Promise<Node[]> {
  const query = db.selectFrom('twig_templates').select(['id', 'name', 'refers_to'])
  const rows = await query.where('refers_to', '<>', '[]').execute()
  return rows.map(({ id, name, refers_to }) => ({
    id,
    name,
    refersTo: (JSON.parse(refers_to) as string[]).map(nameKey),
  }))
}

async function* emailsWithTemplates(db: Kysely<EmailTables>): AsyncGenerator<EmailRow> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('emails')
      .selectAll()
      .where('id', '>', after)
      .where((where) =>
        where.or([
          where('is_twig', '=', true),
          ...(['subject', 'custom_html', 'plain_text', 'headers'] as const).map((column) =>
            where(column, 'like', '%{twigtemplate=%'),
          ),
        ]),
      )
      .orderBy('id')
      .limit(rowsPerBatch)
      .execute()
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerBatch) return
    after = last.id
    await pause()
  }
}

/** The keys of the names that refer to a template; see `nameKey`. */
export function namesOf({ id, name }: Pick<TemplateRow, 'id' | 'name'>): string[] {
  return [nameKey(name), `id:${id}`]
}
