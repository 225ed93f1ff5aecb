import type { Stage } from './run-test.ts'

/** The fields that a stage of a test depends on, the likeliest first; without one of them, the DSN. */
const fieldsOf: Partial<Record<Stage['stage'], readonly string[]>> = {
  resolve: ['host', 'region'],
  connect: ['host', 'port', 'region'],
  tls: ['host', 'port'],
  greeting: ['host', 'port'],
  token: ['password', 'key', 'refreshToken', 'user'],
  auth: ['password', 'user'],
  sender: ['testedEmailFrom'],
  recipient: ['to'],
  request: ['user', 'password', 'host'],
}

/** Focuses the field that a failed stage is about, in the same form or page; of the member that failed, in a list. */
export function focusField({ stage, member }: Stage, near: HTMLElement): void {
  const root = near.closest('dialog, main') ?? document.body
  for (const name of [...(fieldsOf[stage] ?? []), 'dsn']) {
    const found = [...root.querySelectorAll(`[data-field="${name}"], [data-field$=".${name}"]`)]
    const area = found.find((each) => isOfMember(each, member)) ?? found[0]
    const control = area?.querySelector<HTMLElement>('input, select, textarea')
    if (control == null) continue
    control.closest('details')?.setAttribute('open', '')
    control.focus()
    return
  }
}

/** Whether a field stands in the form of a member, such as `smtp://mail.example.com:587`. */
function isOfMember(area: Element, member: string | undefined): boolean {
  const host = area
    .closest('.members > li')
    ?.querySelector<HTMLInputElement>('[data-field$=".host"] input')
  return member !== undefined && host != null && host.value !== '' && member.includes(host.value)
}
