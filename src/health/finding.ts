/** The result of one check. */
export interface Finding {
  check: string
  /** A warning may be intended; a problem keeps something from working. */
  severity: 'ok' | 'warning' | 'problem'
  detail: string
  /** What to do; null when nothing has to be done. */
  fix: string | null
}

export function good(check: string, detail: string): Finding {
  return { check, severity: 'ok', detail, fix: null }
}

export function doubtful(check: string, detail: string, fix: string): Finding {
  return { check, severity: 'warning', detail, fix }
}

export function bad(check: string, detail: string, fix: string): Finding {
  return { check, severity: 'problem', detail, fix }
}
