import type { Kysely } from 'kysely'
import type { EmailRow, EmailTables } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
import { mayUse } from '../../resource/index.ts'
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
export type FindDependents = (template: UsedTemplate) => Promise<Dependent[]>

type UsedTemplate = Pick<TemplateRow, 'id' | 'name' | 'mautic_id'>

const rowsPerBatch = 200

export function createFindDependents(storage: Storage, sources: TemplateSources): FindDependents {
  const db = storage.tables<TemplateTables & EmailTables>()
  return async (template) => {
    const templates = await findTemplates(db, template)
    // The emails are Mailyard's own, and use no template of a Mautic.
    const shared = (used: readonly UsedTemplate[]) =>
      new Set(used.filter((each) => mayUse(each, undefined)).flatMap(namesOf))
    const reached = shared(templates)
    const direct = shared([template])
    const emails: Dependent[] = []
    for await (const row of emailsWithTemplates(db)) {
      const references = emailReferences(row, sources)
      const names = references.flatMap((reference) => reference.names.map(nameKey))
      const isDirect = names.some((name) => direct.has(name))
      if (isDirect || names.some((name) => reached.has(name)))
        emails.push({ kind: 'email', id: row.id, name: row.name, isDirect })
    }
    const found = templates.map(({ mautic_id: _mauticId, ...dependent }) => dependent)
    return [...found, ...emails]
  }
}

interface Node extends UsedTemplate {
  refersTo: readonly string[]
}

/** Searches breadth-first: the templates that refer to it, those that refer to them, and so on. */
async function findTemplates(
  db: Kysely<TemplateTables>,
  template: UsedTemplate,
): Promise<(Dependent & UsedTemplate)[]> {
  const nodes = await readNodes(db)
  const found = new Map<number, Dependent & UsedTemplate>()
  let used: readonly UsedTemplate[] = [template]
  for (let isDirect = true; used.length > 0; isDirect = false) {
    const ownersByName = namedOwners(used)
    const next = nodes.filter(
      ({ id, refersTo, mautic_id: mauticId }) =>
        id !== template.id &&
        !found.has(id) &&
        refersTo.some((name) =>
          ownersByName.get(name)?.some((owner) => owner === null || owner === mauticId),
        ),
    )
    for (const { id, name, mautic_id } of next)
      found.set(id, { kind: 'template', id, name, mautic_id, isDirect })
    used = next
  }
  return [...found.values()].sort((one, other) => one.id - other.id)
}

/** The Mautics that templates belong to, by the names that refer to these templates. */
function namedOwners(templates: readonly UsedTemplate[]): Map<string, (number | null)[]> {
  const owners = new Map<string, (number | null)[]>()
  for (const template of templates)
    for (const name of namesOf(template)) {
      const known = owners.get(name)
      if (known === undefined) owners.set(name, [template.mautic_id])
      else known.push(template.mautic_id)
    }
  return owners
}

async function readNodes(db: Kysely<TemplateTables>): Promise<Node[]> {
  const query = db.selectFrom('twig_templates').select(['id', 'name', 'mautic_id', 'refers_to'])
  const rows = await query.where('refers_to', '<>', '[]').execute()
  return rows.map(({ refers_to, ...row }) => ({
    ...row,
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
