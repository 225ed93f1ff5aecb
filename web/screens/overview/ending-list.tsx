import type { ComponentChildren } from 'preact'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { DaysLeft, type EndingLogin } from '../../records/ending-login.tsx'
import { moveWords, endingWords as texts } from '../../words/ending-logins.ts'

const listedMax = 5

/** The transports whose log-in stops working, in the order of the API: the worst first. */
export function EndingList({ endings }: { endings: Schema<'EndingLogins'> }) {
  const { total } = endings
  const transports = endings.transports.slice(0, listedMax)
  return (
    <section class="card" aria-label={texts.title}>
      <div class="spread">
        <h2>{texts.title}</h2>
        <a class="small" href="/transports">
          {texts.all}
        </a>
      </div>
      <ul class="entries">
        {endings.default.length > 0 && (
          <Entry logins={endings.default} depends={texts.byDefaultDepends}>
            {texts.byDefault}
          </Entry>
        )}
        {transports.map(({ id, name, logins, usage }) => (
          <Entry
            key={id}
            logins={logins}
            depends={texts.depends(usage)}
            moveHref={can('multipleTransports:edit') ? `/transports/${id}?move=oauth` : undefined}
          >
            <a href={`/transports/${id}`}>{name}</a>
          </Entry>
        ))}
      </ul>
      {total > transports.length && (
        <p class="quiet small">{texts.more(total - transports.length)}</p>
      )}
    </section>
  )
}

function Entry({
  logins,
  depends,
  moveHref,
  children,
}: {
  logins: readonly EndingLogin[]
  depends: string
  moveHref?: string | undefined
  children: ComponentChildren
}) {
  const [first] = logins
  if (first === undefined) return null
  return (
    <li>
      <div class="spread">
        <span>{children}</span>
        <DaysLeft login={first} />
      </div>
      <p class="small">
        {first.sentence} <span class="quiet">{depends}</span>{' '}
        {moveHref !== undefined && <a href={moveHref}>{moveWords.action}</a>}
      </p>
    </li>
  )
}
