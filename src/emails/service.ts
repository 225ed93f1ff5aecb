import { presentMauticStamps, validationError } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { fold } from '../kit/fold.ts'
import type { Outcome } from '../kit/outcome.ts'
import { pause } from '../kit/pause.ts'
import type { Entry } from '../kit/resource.ts'
import { openRecords, type Records, type Storage } from '../storage/index.ts'
import { type EmailInput, type EmailItem, emailFields } from './schema.ts'
import type { EmailRow } from './table.ts'
import { checkTemplatePermission, type UsesTemplates } from './template-permission.ts'
import { findTwigFaults, type LintText } from './twig-faults.ts'

export interface Emails extends Records<EmailRow, EmailItem, EmailInput> {
  usesTemplates: UsesTemplates
}

/** What emails are opened with. */
export interface EmailsOptions {
  storage: Storage
  clock: Clock
  lintText: LintText
  /** What keeps an email from being sent, in sentences. */
  findWarnings: (email: EmailItem) => string[]
  usesTemplates: UsesTemplates
}

/** The emails, as much of Mautic's as sending needs; those that are Twig are linted when they are saved. */
export function openEmails(options: EmailsOptions): Emails {
  const { storage, clock, lintText, findWarnings, usesTemplates } = options
  const records = openRecords<EmailRow, EmailItem, EmailInput>(storage, clock, {
    table: 'emails',
    nameColumn: 'name',
    fields: emailFields,
    area: 'email',
    largeColumns: ['custom_html', 'plain_text', 'headers'],
    notFound: () => new AppError('not_found', 'email_not_found', 'Email not found'),
    present: (rows) => rows.map(presentEmail),
    findFaults: (values) => findTwigFaults(values, lintText),
    toInput,
    async prepare({ input, current, caller }) {
      const values = { ...input, headers: toHeaders(input.headers ?? {}) }
      const faults = await findTwigFaults(values, lintText)
      if (Object.keys(faults).length > 0) throw validationError(faults)
      const columns = toColumns(input)
      if (current === undefined || !hasSameTexts(columns, toColumns(toInput(current))))
        checkTemplatePermission(caller, columns, usesTemplates)
      return { columns }
    },
  })
  const withWarnings = async (outcomes: Outcome<Entry<EmailItem>>[]) => {
    for (const outcome of outcomes) {
      if (!outcome.ok) continue
      await pause()
      const { item } = outcome.value
      const warnings = findWarnings(item)
      if (warnings.length > 0) item.warnings = warnings
    }
    return outcomes
  }
  return {
    ...records,
    usesTemplates,
    create: async (inputs, context) => withWarnings(await records.create(inputs, context)),
    edit: async (changes, context) => withWarnings(await records.edit(changes, context)),
  }
}

type EmailColumns = ReturnType<typeof toColumns>

/** Whether two emails refer to the same templates, for all that their texts say. */
function hasSameTexts(one: EmailColumns, other: EmailColumns): boolean {
  const texts = ['subject', 'custom_html', 'plain_text', 'headers', 'from_name', 'is_twig'] as const
  return texts.every((name) => one[name] === other[name])
}

function presentEmail(row: EmailRow): EmailItem {
  const headers = readHeaders(row)
  return {
    id: row.id,
    name: row.name,
    subject: row.subject,
    fromAddress: row.from_address,
    fromName: row.from_name,
    replyToAddress: row.reply_to_address,
    customHtml: row.custom_html,
    plainText: row.plain_text,
    headers: Object.keys(headers).length === 0 ? [] : headers,
    isTwig: Boolean(row.is_twig),
    ...presentMauticStamps(row),
  }
}

function toInput(row: EmailRow): EmailInput {
  return {
    name: row.name,
    subject: row.subject,
    fromAddress: row.from_address,
    fromName: row.from_name,
    replyToAddress: row.reply_to_address,
    customHtml: row.custom_html,
    plainText: row.plain_text,
    headers: readHeaders(row),
    isTwig: Boolean(row.is_twig),
    isPublished: Boolean(row.is_published),
  }
}

/** The columns for an email's values. */
export function toColumns(input: EmailInput) {
  return {
    name: input.name,
    subject: input.subject,
    from_address: input.fromAddress || null,
    from_name: input.fromName ?? null,
    reply_to_address: input.replyToAddress || null,
    custom_html: input.customHtml ?? null,
    plain_text: input.plainText ?? null,
    headers: JSON.stringify(toHeaders(input.headers ?? {})),
    is_twig: input.isTwig ?? false,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.subject),
  }
}

type HeaderInput = NonNullable<EmailInput['headers']>

function toHeaders(headers: HeaderInput): Record<string, string> {
  if (Array.isArray(headers)) return {}
  const { list } = headers
  if (!Array.isArray(list)) return headers as Record<string, string>
  return Object.fromEntries(list.map(({ label, value }) => [label, value]))
}

function readHeaders(row: EmailRow): Record<string, string> {
  return JSON.parse(row.headers) as Record<string, string>
}
