import { ask } from '../../lib/api.ts'
import { formatNumber } from '../../words/format.ts'
import { overviewWords } from '../../words/overview.ts'
import { Part, useFresh } from './part.tsx'

const texts = overviewWords.broadcasts
const limit = 5

/** The running broadcasts, with their progress and their problem. */
export function RunningBroadcasts() {
  const loaded = useFresh(async (signal) => {
    const query = { state: 'running', limit }
    return (await ask('GET', '/api/broadcasts', { query, signal })).body.broadcasts
  })
  return (
    <Part
      title={texts.title}
      href="/broadcasts"
      linkText={texts.all}
      loaded={loaded}
      none={texts.none}
      show={({ id, email, total, remaining, problem }) => (
        <li key={id}>
          <div class="spread">
            <a href={`/broadcasts/${id}`}>{email.name}</a>
            <span class="quiet small">
              {texts.progress(formatNumber(total - remaining), formatNumber(total))}
            </span>
          </div>
          <progress class="bar" max={total} value={total - remaining} aria-label={email.name} />
          {problem !== null && <p class="small fault-text">{problem}</p>}
        </li>
      )}
    />
  )
}
