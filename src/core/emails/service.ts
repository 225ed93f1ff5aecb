import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type DeletedRecords,
  Dependents,
  defaultBrand,
  openResource,
  type Resource,
} from '../../platform/resource/index.ts'
import {
  newRecordStamp,
  openRecordStore,
  routesChannel,
  type Storage,
} from '../../platform/storage/index.ts'
import {
  checkTemplatePermission,
  findTwigFaults,
  type LintText,
  type UsesTemplates,
} from './email-texts.ts'
import {
  type EmailDraft,
  type EmailInput,
  type EmailItem,
  emailFields,
  emailRecord,
  toHeaders,
} from './schema.ts'
import type { EmailRow, EmailTables } from './table.ts'

export interface Emails extends Resource<EmailRow, EmailItem, EmailInput> {
  /** What ends with an email that is deleted, and comes back with one that is restored. */
  readonly dependents: Dependents
  usesTemplates: UsesTemplates
  /** An email with unsaved values, over those of a saved one, in a brand that the caller may use. A new one has the id 0. */
  draft: (values: EmailDraft, saved: EmailRow | undefined, caller: Caller) => Promise<EmailRow>
}

export interface EmailsOptions {
  storage: Storage
  clock: Clock
  work: WorkQueue
  lintText: LintText
  /** Finds what keeps an email from being sent, as sentences. */
  findWarnings: (email: EmailItem) => string[]
  usesTemplates: UsesTemplates
  deleted: DeletedRecords
}

/** Opens the emails, with the fields of Mautic's that sending needs. Twig emails are linted when they are saved. */
export function openEmails(options: EmailsOptions): Emails {
  const { storage, clock, work, lintText, findWarnings, usesTemplates } = options
  const dependents = new Dependents()
  const access = brandAccess<EmailRow, EmailInput>({ label: 'Email', storage })
  const store = openRecordStore<EmailRow>(storage, {
    table: 'emails',
    nameColumn: 'name',
    fields: emailFields,
    largeColumns: ['custom_html', 'plain_text', 'headers'],
  })
  const resource = openResource<EmailRow, EmailItem, EmailInput>({
    clock,
    store,
    area: 'email',
    notFound: () => new AppError('not_found', 'email_not_found', 'Email not found'),
    access,
    findFaults: (values, { faultsMax }) =>
      findTwigFaults(values, { lint: lintText, work, faultsMax }),
    toInput: emailRecord.toValues,
    async prepare({ input, current, faultsMax, caller }) {
      const values = { ...input, headers: toHeaders(input.headers ?? {}) }
      const faults = await findTwigFaults(values, { lint: lintText, work, faultsMax })
      if (Object.keys(faults).length > 0) throw validationError(faults)
      const columns = emailRecord.toColumns(input)
      if (
        current === undefined ||
        !hasSameTexts(columns, emailRecord.toColumns(emailRecord.toValues(current)))
      )
        checkTemplatePermission(caller, columns, usesTemplates)
      return { columns }
    },
    present: (rows) => rows.map(presentEmail),
    hooks: {
      beforeRemove: (tx, { current }) => dependents.release(current.id, tx),
      async afterCommit(change, results) {
        // They lose their transports, or have them again.
        if (change !== 'saved') return storage.notify(routesChannel)
        for (const result of results) {
          if (!result.ok) continue
          await work.turn()
          const { item } = result.value
          const warnings = findWarnings(item)
          if (warnings.length > 0) item.warnings = warnings
        }
      },
    },
    parts: {
      trash: {
        records: options.deleted,
        afterRestore: (tx, { row, related }) => dependents.restore(row.id, related, tx),
      },
    },
  })
  const draft: Emails['draft'] = async (values, current, caller) => {
    const input = { brand: defaultBrand(caller) || null, ...inputOf(values, current) }
    const isNamed = values.brand !== undefined
    const owned = isNamed ? await access.withBrand({ input, current, caller }) : input
    return createDraft(clock, owned, current)
  }
  return { ...resource, dependents, usesTemplates, draft }
}

function inputOf(values: EmailDraft, saved: EmailRow | undefined): EmailInput {
  const before = saved === undefined ? { name: '', subject: '' } : emailRecord.toValues(saved)
  const fields = Object.entries(values).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(fields) }
}

function createDraft(clock: Clock, input: EmailInput, saved: EmailRow | undefined): EmailRow {
  const columns = emailRecord.toColumns({
    ...input,
    name: input.name ?? '',
    subject: input.subject ?? '',
  })
  const author = { name: '', userId: undefined }
  return { id: 0, ...newRecordStamp({ caller: author, clock }), ...saved, ...columns }
}

type EmailColumns = ReturnType<typeof emailRecord.toColumns>

/** Whether two emails have the same texts, so that they use the same templates. */
function hasSameTexts(one: EmailColumns, other: EmailColumns): boolean {
  const texts = ['subject', 'custom_html', 'plain_text', 'headers', 'from_name', 'is_twig'] as const
  return texts.every((name) => one[name] === other[name])
}

function presentEmail(row: EmailRow): EmailItem {
  const { headers, ...item } = emailRecord.present(row, {})
  return { ...item, headers: Object.keys(headers).length === 0 ? [] : headers }
}

/** Inserts the sample email: email 1 of a new database, so that every endpoint can be tried without preparation. */
export async function installSampleEmail(
  tx: Transaction<EmailTables>,
  clock: Clock,
): Promise<void> {
  const columns = emailRecord.toColumns({
    name: 'Sample email',
    subject: 'Hello {contactfield=firstname|there}',
    customHtml: '<p>Hello {contactfield=firstname|there},</p><p>this is a sample.</p>',
    plainText: 'Hello {contactfield=firstname|there},\n\nthis is a sample.\n',
  })
  const stamp = newRecordStamp({ caller: { name: 'Mailyard', userId: undefined }, clock })
  await tx
    .insertInto('emails')
    .values({ ...columns, ...stamp })
    .execute()
}
