import { done } from '../kit/batch-item-result.ts'
import type { CallerMautic } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { createOutage } from '../kit/outage.ts'
import type { ResolveAllowed } from '../mailer/index.ts'
import type { EntryRemoval } from '../resource/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { type CheckOptions, type CheckReport, checkMautic } from './check/check-mautic.ts'
import type { UnassignedRoute } from './check/examine-transport.ts'
import { type MauticClients, openMauticClients } from './client/open-clients.ts'
import { DoNotContactList, type SuppressionTarget } from './do-not-contact/do-not-contact-list.ts'
import { notReinstalled } from './errors.ts'
import { type FindContacts, openFindContacts } from './find/find-contacts.ts'
import {
  type FindEmails,
  type FindOptions,
  type FindUsers,
  openFindEmails,
  openFindUsers,
} from './find/find-records.ts'
import { type FindSends, openFindSends } from './find/find-sends.ts'
import { type FindMautics, openFindMautics, toMautic } from './find-mautics.ts'
import { type MauticResource, type MauticResourceOptions, openMauticResource } from './mautics.ts'
import { emailKind, userKind } from './mirror/mirror-records.ts'
import { openMirrorStore } from './mirror/mirror-store.ts'
import { openStateStore } from './mirror/state-store.ts'
import {
  createSynchronizer,
  defaultMauticIntervals,
  type MauticIntervals,
  mauticsChannel,
} from './mirror/synchronizer.ts'
import { type MauticReports, openReports, type ReportsOptions } from './reports/reports.ts'
import { openSenderDomains, type SenderDomains } from './sender-domains.ts'
import { createFindStatus, type MauticStatuses, mauticStatus } from './status.ts'
import { openStoredSecrets } from './stored-secrets.ts'
import type { OwnWebhooks } from './webhooks/own-webhooks.ts'
import { openWebhooks, type Webhooks } from './webhooks/webhooks.ts'

/** Options of `openMautics`. */
export interface MauticsOptions extends Omit<MauticResourceOptions, 'secrets'> {
  storage: Storage
  clock: Clock
  keyring: Keyring
  /** Called before what was known of a reinstalled Mautic is deleted: its ids mean other records. */
  onReinstalled: (id: number) => Promise<void>
  /** Called after Mautics were changed, also by another process. */
  onChanged: () => Promise<void>
  log: Log
  /** Finds the addresses that the outbound policy allows. */
  resolve: ResolveAllowed
  /** Finds what mail of a Mautic without an assignment is sent through. */
  findRoute: (mautic: CallerMautic) => Promise<UnassignedRoute>
  /** What addresses of Mailyard start with, without a slash at the end. */
  publicUrl: string
  /** Where the entries of their Do not contact lists are stored. */
  suppressions: SuppressionTarget
  /** Default: those of a service. */
  mauticIntervals?: MauticIntervals
  /** How often reports are looked for that are due again, in milliseconds. Default: 5 s. */
  reportIdleMs?: number | undefined
}

/** The connected Mautics, and what is known of their emails, users, contacts and messages. */
export interface Mautics extends MauticResource, FindMautics {
  clients: Pick<MauticClients, 'find' | 'get'>
  emails: FindEmails
  users: FindUsers
  contacts: FindContacts
  sends: FindSends
  /** What is put on their Do not contact lists. */
  reports: MauticReports
  senderDomains: SenderDomains
  webhooks: Webhooks
  /** How the synchronization stands, in the order of the ids. */
  status: MauticStatuses
  /** Checks a Mautic stage by stage. Throws an AppError (`not_found`, `conflict`). */
  check(id: number, options?: CheckOptions): Promise<CheckReport>
  /** Reads all emails and users of a Mautic now. */
  synchronize(id: number): Promise<void>
  /** Reads the published Mautics that were last read a minute ago or longer. */
  synchronizeDue(): Promise<void>
  /**
   * Reads a Mautic again whose ids mean other records than before. What was known of it and the assignments of its
   * emails and users are deleted. Throws an AppError (`conflict`) for any other Mautic.
   */
  acceptReinstalled(id: number): Promise<void>
  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]>
  /** Starts the synchronization and the reports. */
  start(): void
  stop(): Promise<void>
}

const pruneMs = 3_600_000

/** Opens the connected Mautics. */
export function openMautics(options: MauticsOptions): Mautics {
  const { storage, mauticIntervals: intervals = defaultMauticIntervals } = options
  const secrets = openStoredSecrets(options)
  const resource = openMauticResource({ ...options, secrets })
  const clients = openMauticClients({ ...options, secrets })
  const parts = {
    ...options,
    clients,
    states: openStateStore(storage),
    emails: openMirrorStore(storage, emailKind),
    users: openMirrorStore(storage, userKind),
    list: new DoNotContactList(options),
  }
  const known = openKnown(parts)
  const { reports } = known
  const webhooks = openWebhooks({ ...parts, ...known, secrets })
  const synchronizer = createSynchronizer({
    storage,
    log: options.log,
    clients,
    states: parts.states,
    emails: parts.emails,
    users: parts.users,
    webhooks: webhooks.own,
    list: parts.list,
    intervals,
  })
  const find = createFindStatus({
    states: parts.states,
    emails: parts.emails,
    users: parts.users,
    webhooks: webhooks.store,
  })
  const status = { schema: mauticStatus, find }
  const upkeep = openUpkeep([known.sends, reports, webhooks, parts.list], options.log)
  const watch = openWatch(options)
  return {
    ...withStatus(
      clearFirst(withNotice(resource, options), { webhooks: webhooks.own, list: parts.list }),
      status,
    ),
    ...openFindMautics(storage),
    ...known,
    ...{ clients, status, webhooks },
    async check(id, checking = {}) {
      const mautic = toMautic(await resource.getRow(id))
      const client = await clients.get(id)
      const webhook = await webhooks.store.read(id)
      const dispatcher = clients.dispatcher()
      const findRoute = () => options.findRoute({ id, name: mautic.name })
      return checkMautic({ mautic, client, webhook, dispatcher, findRoute, ...checking })
    },
    synchronize: (id) => synchronizer.run(id),
    synchronizeDue: () => synchronizer.runDue(),
    async acceptReinstalled(id) {
      const state = (await parts.states.find([id])).get(id)
      if (!state?.is_reinstalled) throw notReinstalled(id)
      await options.onReinstalled(id)
      await parts.states.forget(id)
      storage.notify(mauticsChannel)
    },
    reseal: () => secrets.reseal(),
    start() {
      for (const each of [synchronizer, reports, upkeep, watch]) each.start()
    },
    async stop() {
      for (const each of [watch, upkeep, synchronizer, reports, parts.list]) await each.stop()
      await clients.close()
    },
  }
}

/** Opens what is known of Mautics, and what they are reported. */
function openKnown(parts: FindOptions & ReportsOptions & { list: DoNotContactList }) {
  const users = openFindUsers(parts)
  return {
    users,
    emails: openFindEmails(parts),
    contacts: openFindContacts({ ...parts, findUser: (...asked) => users.find(...asked) }),
    sends: openFindSends(parts),
    reports: openReports(parts),
    senderDomains: openSenderDomains(parts.storage, (id) => parts.list.applyLater(id)),
  }
}

/** Follows the changes of other processes. */
function openWatch({ storage, onChanged }: Pick<MauticsOptions, 'storage' | 'onChanged'>) {
  let end: (() => void) | undefined
  return {
    start() {
      end = storage.listen(mauticsChannel, () => void onChanged())
    },
    async stop() {
      end?.()
    },
  }
}

/** Deletes old rows, every hour. */
function openUpkeep(parts: readonly { prune(): Promise<void> }[], log: Log) {
  const outage = createOutage(log, {
    level: 'warn',
    failed: 'old data of Mautics not deleted',
    recovered: 'old data of Mautics deleted again',
  })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const prune = async () => {
    for (const each of parts) await each.prune()
  }
  return {
    start() {
      timer = setInterval(() => {
        running = prune().then(outage.recover, outage.report)
      }, pruneMs)
    },
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

/** A new or changed Mautic is read at once, and applies in this process when the change is answered. */
function withNotice(
  resource: MauticResource,
  { storage, onChanged }: Pick<MauticsOptions, 'storage' | 'onChanged'>,
): MauticResource {
  const afterChange = async <Result>(changes: Promise<Result>) => {
    const result = await changes
    await onChanged()
    storage.notify(mauticsChannel)
    return result
  }
  return {
    ...resource,
    create: (inputs, context) => afterChange(resource.create(inputs, context)),
    edit: (changes, context) => afterChange(resource.edit(changes, context)),
    remove: (removals, context) => afterChange(resource.remove(removals, context)),
  }
}

/**
 * Deletes two things before a Mautic: its webhook, which would fail without the connection and could end a run of Mautic, and
 * what was read of its Do not contact list, which is too much for the transaction that deletes the Mautic. `consequence` says
 * what remains in Mautic.
 */
function clearFirst(
  resource: MauticResource,
  { webhooks, list }: { webhooks: OwnWebhooks; list: DoNotContactList },
): MauticResource {
  const isRemovable = async ({ id, seen }: EntryRemoval) => {
    const row = await resource.findRow(id)
    return row !== undefined && (seen === undefined || seen.includes(row.revision))
  }
  return {
    ...resource,
    async remove(removals, context) {
      if (context.isDryRun === true || !context.caller.isAdmin)
        return resource.remove(removals, context)
      const removable = await Promise.all(removals.map(isRemovable))
      const isRefused = context.isAtomic && removable.includes(false)
      const remaining = await Promise.all(
        removals.map(async ({ id }, index) => {
          if (isRefused || !removable[index]) return undefined
          const sentence = await webhooks.removeWithConnection(id)
          await list.forget(id)
          return sentence
        }),
      )
      const results = await resource.remove(removals, context)
      return results.map((result, index) => {
        const sentence = remaining[index]
        if (!result.ok || sentence === undefined) return result
        const { consequence } = result.value
        const all = consequence === undefined ? sentence : `${consequence} ${sentence}`
        return done({ ...result.value, consequence: all })
      })
    },
  }
}

/** One Mautic is shown with its status. */
function withStatus(resource: MauticResource, status: Mautics['status']): MauticResource {
  return {
    ...resource,
    async get(id, caller) {
      const entry = await resource.get(id, caller)
      const [found] = await status.find([id])
      return found === undefined ? entry : { ...entry, item: { ...entry.item, status: found } }
    },
  }
}
