/** One thing that was looked at. */
export interface Finding {
  check: string
  isOk: boolean
  detail: string
  /** What to do about it; null where nothing needs doing. */
  fix: string | null
}

export function good(check: string, detail: string): Finding {
  return { check, isOk: true, detail, fix: null }
}

export function bad(check: string, detail: string, fix: string): Finding {
  return { check, isOk: false, detail, fix }
}
