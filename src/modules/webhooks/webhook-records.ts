import type { Transaction } from 'kysely'
import { checkVisible, eventTypeNames } from '../../core/published/index.ts'
import { AppError, type FaultDetails } from '../../kit/app-error.ts'
import { type BatchItemResult, done } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatOptionalDate } from '../../kit/iso-date.ts'
import { searchTextOf } from '../../kit/normalize-for-search.ts'
import { suggest } from '../../kit/suggest.ts'
import { secretMask } from '../../libraries/mailer/index.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type Entry,
  type EntryChange,
  type ItemToPrepare,
  openResource,
  type Resource,
} from '../../platform/resource/index.ts'
import { openRecordStore, type Storage } from '../../platform/storage/index.ts'
import { type WebhookInput, type WebhookItem, webhookFields, webhookRecord } from './schema.ts'
import { typesOf, type WebhookRow, type WebhookStateRow, type WebhookTables } from './table.ts'
import { findAddressFault, hostOf, isUnencrypted, maskAddress } from './webhook-address.ts'
import { createWebhookSecret, type WebhookSecrets } from './webhook-secrets.ts'
import type { WebhookStates } from './webhook-states.ts'

export interface WebhookRecordsOptions {
  storage: Storage
  clock: Clock
  secrets: WebhookSecrets
  states: WebhookStates
  /** Called after webhooks were changed, before the change is answered, with the ids of those that were edited. */
  onChanged: (edited: readonly number[]) => Promise<void>
}

/** The key of a new secret. A symbol, so that no request body can set it. */
const newSecret = Symbol('new secret')

type WebhookValues = WebhookInput & { [newSecret]?: string }

/** How an address is shown that cannot be decrypted. */
const unreadableAddress = `unreadable://${secretMask}`

/** Opens the webhooks as records. Only the answer that follows a new secret has it. */
export function openWebhookRecords(
  options: WebhookRecordsOptions,
): Resource<WebhookRow, WebhookItem, WebhookInput> {
  const { storage, clock, secrets, states, onChanged } = options
  const resource = openResource<WebhookRow, WebhookItem, WebhookValues>({
    clock,
    store: openRecordStore<WebhookRow>(storage, {
      table: 'webhooks',
      nameColumn: 'name',
      fields: webhookFields,
    }),
    area: 'api',
    notFound: webhookNotFound,
    access: brandAccess({ label: 'Webhook', storage, isPrivate: true }),
    findFaults: findValueFaults,
    async toInput(row) {
      const url = await secrets.open(row, 'url')
      return { ...webhookRecord.toValues(row), url: url ?? unreadableAddress }
    },
    prepare: (item) => prepare(secrets, item),
    present: (rows, caller) => present(options, rows, caller),
    hooks: {
      // Who edits a webhook wants it to be called again.
      async afterWrite(tx, { rows, before }) {
        if (before !== undefined)
          for (const { id } of rows) await states.revive(id, tx.withTables<WebhookTables>())
      },
      afterCommit(change, results) {
        const isEdit = change === 'saved'
        const edited = results.flatMap((each) =>
          isEdit && each.ok && !each.value.isNew ? each.value.item.id : [],
        )
        return onChanged(edited)
      },
    },
  })
  /** Adds a new secret that was stored: a webhook that has one keeps it. */
  const showSecret = async (
    result: BatchItemResult<Entry<WebhookItem>>,
    secret: string | undefined,
  ) => {
    if (!result.ok || result.value.item.format !== 'standard' || secret === undefined) return result
    const { item } = result.value
    const row = await resource.findRow(item.id)
    if (row === undefined || (await secrets.open(row, 'secret')) !== secret) return result
    return done({ ...result.value, item: { ...item, secret } })
  }
  return {
    ...resource,
    async create(inputs, context) {
      const values = inputs.map(withNewSecret)
      const results = await resource.create(values, context)
      return Promise.all(results.map((each, index) => showSecret(each, values[index]?.[newSecret])))
    },
    async edit(changes, context) {
      const edits = changes.map(
        (change) =>
          ({ ...change, values: withNewSecret(change.values) }) as EntryChange<WebhookValues>,
      )
      const results = await resource.edit(edits, context)
      return Promise.all(
        results.map((each, index) => showSecret(each, edits[index]?.values[newSecret])),
      )
    },
  }
}

async function prepare(
  secrets: WebhookSecrets,
  { input, current, caller }: ItemToPrepare<WebhookRow, WebhookValues>,
) {
  const { format = 'standard' } = input
  const stored = current === undefined ? null : await secrets.open(current, 'url')
  const isMasked = !!stored && input.url === maskAddress(stored)
  const url = isMasked ? stored : input.url || null
  const faults: FaultDetails = findValueFaults({ ...input, url })
  if (url?.includes(secretMask)) faults['url'] = ['is the mask of an address; give the address']
  if (url === null) faults['url'] = ['is required']
  if (url === null || Object.keys(faults).length > 0) throw validationError(faults)
  checkVisible([...(current === undefined ? [] : typesOf(current)), ...input.events], caller)
  const sealedUrl = await secrets.seal('url', url)
  const hasSecret =
    current?.format === 'standard' || (current !== undefined && format !== 'standard')
  const secret = input[newSecret]
  const sealedSecret =
    hasSecret || secret === undefined ? undefined : await secrets.seal('secret', secret)
  const old = sealedSecret === undefined ? current : undefined
  return {
    columns: {
      ...webhookRecord.toColumns({ ...input, events: [...new Set(input.events)] }),
      url: sealedUrl.text,
      secret: sealedSecret?.text ?? current?.secret ?? null,
      old_secret: old?.old_secret ?? null,
      old_secret_until: old?.old_secret_until ?? null,
      search_text: searchTextOf(input.name, hostOf(url)),
    },
    async isCurrent(tx: Transaction<object>) {
      const isUrlCurrent = await sealedUrl.isCurrent(tx)
      return isUrlCurrent && (sealedSecret === undefined || (await sealedSecret.isCurrent(tx)))
    },
  }
}

async function present(
  { secrets, states, storage }: WebhookRecordsOptions,
  rows: readonly WebhookRow[],
  caller: Caller,
): Promise<WebhookItem[]> {
  const ids = rows.map(({ id }) => id)
  const stateRows = await states.find(ids)
  const waiting = await countUnsentMessages(storage, ids)
  const mayEdit = caller.can('api:edit')
  return Promise.all(
    rows.map(async (row) => {
      const url = await secrets.open(row, 'url')
      const shown = url && !mayEdit ? maskAddress(url) : url
      return {
        ...webhookRecord.present(row, {
          url: shown ?? unreadableAddress,
          ...presentState(stateRows.get(row.id)),
          waiting: waiting.get(row.id) ?? 0,
        }),
        ...(url && isUnencrypted(url) ? { warnings: [unencrypted] } : {}),
      }
    }),
  )
}

const unencrypted = 'Messages are sent unencrypted: use https in url.'

function withNewSecret<Values extends Partial<WebhookInput>>(
  values: Values,
): Values & { [newSecret]: string } {
  return { ...values, [newSecret]: createWebhookSecret() }
}

function presentState(state: WebhookStateRow | undefined) {
  return {
    state: stateOf(state),
    problem: state?.problem ?? null,
    failingSince: formatOptionalDate(state?.failing_since ?? null),
    lastSuccessAt: formatOptionalDate(state?.last_success_at ?? null),
  }
}

function stateOf(state: WebhookStateRow | undefined): WebhookItem['state'] {
  if (state === undefined) return 'ok'
  if (state.dead_at !== null) return 'dead'
  return state.failing_since === null ? 'ok' : 'failing'
}

async function countUnsentMessages(
  storage: Storage,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await storage
    .tables<WebhookTables>()
    .selectFrom('webhook_messages')
    .select(['webhook_id', (row) => row.fn.countAll<number>().as('count')])
    .where('webhook_id', 'in', ids)
    .where('state', '=', 'queued')
    .groupBy('webhook_id')
    .execute()
  return new Map(rows.map(({ webhook_id: id, count }) => [id, Number(count)]))
}

/** Finds faults of single values, which may have any type. */
function findValueFaults({
  url,
  events,
}: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const faults: Record<string, string[]> = {}
  // `prepare` checks a mask.
  if (typeof url === 'string' && url !== '' && !url.includes(secretMask)) {
    const fault = findAddressFault(url)
    if (fault !== undefined) faults['url'] = [fault]
  }
  const unknown = (Array.isArray(events) ? events : []).filter(
    (type) => typeof type === 'string' && !eventTypeNames.some((known) => known === type),
  )
  if (unknown.length > 0)
    faults['events'] = unknown.slice(0, 10).map((type: string) => {
      const hint = suggest(type, eventTypeNames) ?? `Types are ${eventTypeNames.join(', ')}.`
      return `names an unknown type: "${type.slice(0, 50)}". ${hint}`
    })
  return faults
}

export function webhookNotFound(): AppError {
  return new AppError('not_found', 'webhook_not_found', 'Webhook not found')
}
