import type { ComponentChildren } from 'preact'
import { Notice } from '../../design/feedback.tsx'
import { type EndingLogin, endingTones } from '../../records/ending-login.tsx'
import { endingWords as texts } from '../../words/ending-logins.ts'

/** Says that log-ins of a saved transport stop working, and what depends on it. Nothing where none does. */
export function EndingNotice({
  logins,
  usage,
  children,
}: {
  /** The worst first. */
  logins: readonly EndingLogin[]
  /** Undefined while it loads. */
  usage: { emails: number; users: number; mautics: number } | undefined
  /** What can be done about them. */
  children?: ComponentChildren
}) {
  const [first] = logins
  if (first === undefined) return null
  return (
    <Notice tone={endingTones[first.severity]}>
      <div class="stack">
        <ul>
          {logins.map((login) => (
            <li key={login.member.join()} class="row">
              <strong>{texts.left(login.daysLeft)}</strong>
              <span>{login.sentence}</span>
              {login.member.length > 0 && <span class="small mono">{login.label}</span>}
            </li>
          ))}
        </ul>
        {usage !== undefined && <p>{texts.depends(usage)}</p>}
        {children}
      </div>
    </Notice>
  )
}
