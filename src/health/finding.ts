/** What a person can do about a finding; `id` says to what, where it is one record. */
export const findingActions = [
  'decideDeliveries',
  'openQueue',
  'openAssignments',
  'openTransport',
  'testTransport',
  'openLimit',
  'openTemplate',
  'openEmail',
  'openMautic',
  'openWebhook',
  'openSender',
  'openDkimKey',
] as const

/** Something to do about a finding, with the record that it is about. */
export interface FindingAction {
  action: (typeof findingActions)[number]
  id: number | null
  name: string | null
}

/** The result of one check. */
export interface Finding {
  check: string
  /** A warning may be intended; a problem keeps something from working. */
  severity: 'ok' | 'warning' | 'problem'
  /** What was found: a sentence. */
  detail: string
  /** What to do; null when nothing has to be done. */
  fix: string | null
  /** The command or the request that does it or says more; null for none. */
  command: string | null
  /** What does it in the console. */
  actions: FindingAction[]
}

/** What is wrong, and what helps. */
interface Advice {
  detail: string
  fix: string
  command?: string
  actions?: FindingAction[]
}

export function good(check: string, detail: string): Finding {
  return { check, severity: 'ok', detail, fix: null, command: null, actions: [] }
}

export function doubtful(check: string, advice: Advice): Finding {
  return { check, severity: 'warning', command: null, actions: [], ...advice }
}

export function bad(check: string, advice: Advice): Finding {
  return { check, severity: 'problem', command: null, actions: [], ...advice }
}

/** Returns an action for each record. */
export function actionsOn(
  action: FindingAction['action'],
  records: readonly { id: number; name: string | null }[],
): FindingAction[] {
  return records.map(({ id, name }) => ({ action, id, name }))
}

/** An action that is not about one record. */
export function actionOf(action: FindingAction['action']): FindingAction[] {
  return [{ action, id: null, name: null }]
}

/** Writes an ISO 8601 time for people: `2026-01-31 15:54 UTC`. */
export function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}
