import type { Kysely } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import { nameKey } from '../../../kit/normalize-for-search.ts'
import { createPacer, pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { TemplateSources } from '../../templates/index.ts'
import { emailReferences } from '../rendering/email-renderer.ts'
import type { EmailTables } from '../table.ts'

/** An email of Mailyard that refers to templates. */
export interface ReferringEmail {
  id: number
  name: string
  isPublished: boolean
  brand: number
  /** See `nameKey`. */
  keys: readonly string[]
}

/** What the texts of an email refer to, in one of its revisions. */
interface RevisionKeys {
  revision: number
  keys: readonly string[]
}

const emailsPerPage = 500
/** To search one of the largest takes a millisecond. */
const textsPerQuery = 20
const rememberedEmails = 100_000

/** Which templates the emails refer to. The texts of each revision of an email are read and searched once. */
export class EmailReferences {
  readonly #db: Kysely<EmailTables>
  readonly #sources: Pick<TemplateSources, 'referencesOf'>
  readonly #keysById = new BoundedMemory<number, RevisionKeys>({ sizeMax: rememberedEmails })

  constructor(storage: Storage, sources: Pick<TemplateSources, 'referencesOf'>) {
    this.#db = storage.tables()
    this.#sources = sources
  }

  /** Reads the emails that refer to templates, in the order of their ids. */
  async *read(): AsyncGenerator<ReferringEmail> {
    const pace = createPacer()
    for (let after = 0; ; ) {
      const columns = ['id', 'revision', 'name', 'is_published', 'brand_id'] as const
      const query = this.#db.selectFrom('emails').select(columns)
      const rows = await query.where('id', '>', after).orderBy('id').limit(emailsPerPage).execute()
      const last = rows.at(-1)?.id
      if (last === undefined) return
      const keysOf = await this.#keysOf(rows)
      for (const { id, name, is_published: isPublished, brand_id: brand } of rows) {
        const keys = keysOf.get(id) ?? []
        if (keys.length > 0) yield { id, name, isPublished: Boolean(isPublished), brand, keys }
        await pace()
      }
      after = last
      await pause()
    }
  }

  /** Returns what each of some emails refers to: entries of the memory may be dropped before they are used. */
  async #keysOf(
    emails: readonly { id: number; revision: number }[],
  ): Promise<Map<number, readonly string[]>> {
    const keysOf = new Map<number, readonly string[]>()
    const unread = emails.filter(({ id, revision }) => {
      const remembered = this.#keysById.get(id)
      if (remembered?.revision !== revision) return true
      keysOf.set(id, remembered.keys)
      return false
    })
    for (const batch of batches(unread, textsPerQuery)) {
      for (const [id, read] of await this.#readKeys(batch)) {
        this.#keysById.set(id, read)
        keysOf.set(id, read.keys)
      }
      await pause()
    }
    return keysOf
  }

  /** Reads and searches the texts of some emails. One that is not read refers to no template. */
  async #readKeys(
    emails: readonly { id: number; revision: number }[],
  ): Promise<ReadonlyMap<number, RevisionKeys>> {
    const pace = createPacer()
    const keysById = new Map<number, RevisionKeys>(
      emails.map(({ id, revision }) => [id, { revision, keys: [] }]),
    )
    for (const row of await this.#readTexts(emails.map(({ id }) => id))) {
      const references = emailReferences(row, this.#sources)
      const keys = [...new Set(references.flatMap(({ names }) => names.map(nameKey)))]
      keysById.set(row.id, { revision: row.revision, keys })
      await pace()
    }
    return keysById
  }

  /** Reads those of some emails that may refer to templates. */
  #readTexts(ids: readonly number[]) {
    const texts = ['subject', 'from_name', 'custom_html', 'plain_text', 'headers'] as const
    return this.#db
      .selectFrom('emails')
      .selectAll()
      .where('id', 'in', ids)
      .where((where) =>
        where.or([
          where('is_twig', '=', true),
          ...texts.map((column) => where(column, 'like', '%{twigtemplate=%')),
        ]),
      )
      .execute()
  }
}
