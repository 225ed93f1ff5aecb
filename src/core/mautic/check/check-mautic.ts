import { type Clock, startStopwatch } from '../../../kit/clock.ts'
import type { OutboundClient } from '../../../libraries/mailer/index.ts'
import {
  asCount,
  asFlag,
  asObject,
  asText,
  type MauticClient,
  MauticError,
} from '../../mautic-client/index.ts'
import type { Mautic } from '../mautic.ts'
import type { WebhookState } from '../webhooks/webhook-store.ts'
import {
  type CheckReport,
  type CheckStage,
  type CheckStageReport,
  checkStages,
} from './check-report.ts'
import { examineTransport, type UnassignedRoute } from './examine-transport.ts'
import { examineWebhook } from './examine-webhook.ts'
import { missingRights, type Right } from './rights.ts'

/** A stage that starts, or has finished. */
export type CheckEvent =
  | { state: 'started'; stage: CheckStage }
  | ({ state: 'finished' } & CheckStageReport)

/** What may differ for one check. */
export interface CheckOptions {
  signal?: AbortSignal | undefined
  /** Whether the webhook is not examined, because it is about to be created. */
  isWebhookLeftOut?: boolean | undefined
  /** Receives each stage when it starts and when it has finished. */
  onStage?: ((event: CheckEvent) => void) | undefined
}

export interface CheckParts extends CheckOptions {
  mautic: Mautic
  client: MauticClient
  /** Its webhook, as it is stored. */
  webhook: WebhookState
  /** Requests the address of the webhook. */
  http: OutboundClient
  clock: Clock
  /** Finds what its mail without an assignment is sent through. */
  findRoute: () => Promise<UnassignedRoute>
}

/** What a stage found, or why it is not needed. */
type Finding = string | Pick<CheckStageReport, 'outcome' | 'detail' | 'hint'>

/** Checks a Mautic stage by stage. Nothing is changed in it. */
export async function checkMautic(parts: CheckParts): Promise<CheckReport> {
  let self: unknown
  const steps: Partial<Record<CheckStage, () => Promise<Finding>>> = {
    reach: () => reach(parts),
    async authenticate() {
      self = await authenticate(parts)
      return describeSelf(self)
    },
    permissions: async () => examineRole(self, parts.mautic),
    users: () => countList(parts, '/api/users', 'users'),
    emails: () => countList(parts, '/api/emails', 'emails'),
    contacts: () => countList(parts, '/api/contacts', 'contacts'),
    statistics: () => countList(parts, '/api/stats/email_stats', 'stats'),
    'do-not-contact': () => countList(parts, '/api/stats/lead_donotcontact', 'stats'),
    transport: async () => examineTransport(await parts.findRoute()),
    ...(parts.isWebhookLeftOut ? {} : { webhook: () => examineWebhook(self, parts) }),
  }
  return summarize(parts.mautic, await runStages(steps, parts.onStage))
}

/** Checks only that a Mautic is there and accepts its log-in: what has to be right before it is stored. */
export async function checkLogin(
  parts: Pick<CheckParts, 'client' | 'signal'> & { mautic: Pick<Mautic, 'name' | 'url'> },
): Promise<CheckReport> {
  const steps = {
    reach: () => reach(parts),
    authenticate: async () => describeSelf(await authenticate(parts)),
  }
  return summarize(parts.mautic, await runStages(steps))
}

/** Runs stages in order. Once Mautic cannot be reached or logged in to, the others are skipped. */
async function runStages(
  steps: Partial<Record<CheckStage, () => Promise<Finding>>>,
  onStage?: CheckOptions['onStage'],
): Promise<CheckStageReport[]> {
  const reports: CheckStageReport[] = []
  let failedEarly: CheckStage | undefined
  for (const stage of checkStages) {
    const step = steps[stage]
    if (step === undefined) continue
    onStage?.({ state: 'started', stage })
    const report = await (failedEarly === undefined
      ? runStage(stage, step)
      : skippedStage(stage, failedEarly))
    reports.push(report)
    onStage?.({ state: 'finished', ...report })
    const isNeeded = stage === 'reach' || stage === 'authenticate'
    if (isNeeded && report.outcome === 'failed') failedEarly = stage
  }
  return reports
}

function skippedStage(stage: CheckStage, failed: CheckStage): CheckStageReport {
  const detail = `Not tried: ${failed} failed.`
  return { stage, outcome: 'skipped', durationMs: 0, detail, hint: null }
}

async function runStage(
  stage: CheckStage,
  step: () => Promise<Finding>,
): Promise<CheckStageReport> {
  const elapsedMs = startStopwatch()
  const durationMs = () => Math.round(elapsedMs() * 10) / 10
  try {
    const finding = await step()
    const { outcome, detail, hint } =
      typeof finding === 'string'
        ? { outcome: 'ok' as const, detail: finding, hint: null }
        : finding
    return { stage, outcome, durationMs: durationMs(), detail, hint }
  } catch (error) {
    if (!(error instanceof MauticError)) throw error
    const { detail, hint } = error
    return { stage, outcome: 'failed', durationMs: durationMs(), detail, hint }
  }
}

function summarize({ name }: Pick<Mautic, 'name'>, stages: CheckStageReport[]): CheckReport {
  const failed = stages.find(({ outcome }) => outcome === 'failed')
  if (failed === undefined)
    return { success: true, message: `The Mautic "${name}" can be used.`, stages }
  const message = [failed.detail, failed.hint].filter((part) => part !== null).join(' ')
  return { success: false, message, stages }
}

const options = (signal: AbortSignal | undefined) => ({ isProbe: true, signal })

type LoginParts = Parameters<typeof checkLogin>[0]

async function reach({ mautic, client, signal }: LoginParts): Promise<string> {
  await client.reach({ signal })
  return `${mautic.url} answers as a Mautic with an enabled API.`
}

async function authenticate({ client, signal }: LoginParts): Promise<unknown> {
  await client.authenticate()
  return client.get('/api/users/self', {}, options(signal))
}

function describeSelf(self: unknown): string {
  return `Logged in as "${asText(asObject(self)['username'])}".`
}

/** What a role needs, by permission of Mautic. */
const needed: readonly Right[] = [
  ['email:emails', ['viewother'], 'view all emails'],
  ['lead:leads', ['viewother'], 'view all contacts'],
  ['user:users', ['view'], 'view users'],
]
const reporting: Right = ['lead:leads', ['editother'], 'edit all contacts (for Do not contact)']
const tagging: Right = ['lead:leads', ['editother'], 'edit all contacts (for the tag)']

function examineRole(self: unknown, { isReporting, isTagging }: Mautic): string {
  const role = asObject(asObject(self)['role'])
  const name = asText(role['name'])
  if (asFlag(role['isAdmin'])) return `The role "${name}" may do everything.`
  const editing = isReporting ? [reporting] : isTagging ? [tagging] : []
  const missing = missingRights(self, [...needed, ...editing])
  if (missing.length === 0) return `The role "${name}" may do what is needed without the webhook.`
  const detail = `The role "${name}" may not ${missing.join(', ')}.`
  throw new MauticError('forbidden', { detail, hint: 'Allow it in Mautic, under Settings, Roles.' })
}

async function countList(
  { client, signal }: CheckParts,
  path: string,
  member: string,
): Promise<string> {
  const answer = asObject(await client.get(path, { limit: 1 }, options(signal)))
  const total = asCount(answer['total'])
  if (total === undefined || typeof answer[member] !== 'object') {
    const detail = `The list ${path} has another form than that of Mautic.`
    throw new MauticError('unexpected', { detail, hint: 'Check url and the version of Mautic.' })
  }
  return `${total} found.`
}
