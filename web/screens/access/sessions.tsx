import { Button } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useData } from '../../lib/use-data.ts'
import { accessWords } from '../../words/access.ts'

const { sessions: texts } = accessWords

type Session = Body<'GET', '/api/sessions'>['sessions'][number]

/** Where the reader is logged in; each of these sessions can be ended. */
export function Sessions() {
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/sessions', { signal })).body.sessions,
    [],
  )
  const { isBusy, run } = useAction()
  const end = (id: number) => async () => {
    await ask('DELETE', '/api/sessions/{id}', { path: { id } })
    showToast(texts.ended)
    loaded.reload()
  }
  const columns: readonly Column<Session>[] = [
    { label: texts.browser, show: ({ userAgent }) => <span class="small">{userAgent}</span> },
    { label: texts.address, show: ({ address }) => address },
    { label: texts.started, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
    { label: texts.used, show: ({ dateUsed }) => <Time iso={dateUsed} /> },
    { label: texts.ends, show: ({ dateEnds }) => <Time iso={dateEnds} /> },
    {
      label: texts.end,
      show: ({ id, isCurrent }) =>
        isCurrent ? (
          <Badge tone="accent">{texts.current}</Badge>
        ) : (
          <Button isBusy={isBusy} onClick={() => void run(end(id))}>
            {texts.end}
          </Button>
        ),
    },
  ]
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <Show loaded={loaded}>
        {(sessions) => (
          <Table
            caption={accessWords.tabs.sessions}
            rows={sessions}
            columns={columns}
            keyOf={({ id }) => id}
          />
        )}
      </Show>
    </>
  )
}
