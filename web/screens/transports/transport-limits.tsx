import { Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { UsageBars } from '../../records/usage-bars.tsx'
import { limitWords } from '../../words/limits.ts'

const text = limitWords.ofTransport

/** The limits that apply to a transport. */
export function TransportLimits({ id }: { id: number }) {
  const loaded = useData(
    async (signal) => {
      const query = { with: 'usage', published: 1, limit: 1_000 }
      const { limits } = (await ask('GET', '/api/limits', { query, signal })).body
      return limits.filter(({ transports }) => transports.includes(id))
    },
    [id],
  )
  return (
    <section class="card">
      <div class="spread">
        <h2>{text.title}</h2>
        <a href="/limits">{text.all}</a>
      </div>
      <Show loaded={loaded}>
        {(limits) =>
          limits.length === 0 ? (
            <p class="quiet">{text.none}</p>
          ) : (
            limits.map(({ id: limitId, name, usage }) => (
              <div key={limitId} class="stack">
                <a href={`/limits/${limitId}`}>{name}</a>
                {usage !== undefined && <UsageBars usage={usage} />}
              </div>
            ))
          )
        }
      </Show>
    </section>
  )
}
