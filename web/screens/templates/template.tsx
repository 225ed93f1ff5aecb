import { useRoute } from 'preact-iso/router'
import { Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { TemplateEditor } from './template-editor.tsx'

/** One template: write it with a preview beside it, see who uses it, compare and restore versions. */
export function TemplateScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return <TemplateEditor key="new" saved={undefined} etag={undefined} onReload={() => {}} />
  return <SavedTemplate key={id} id={Number(id)} />
}

function SavedTemplate({ id }: { id: number }) {
  const loaded = useData(
    (signal) => ask('GET', '/api/twigTemplates/{id}', { path: { id }, signal }),
    [id],
  )
  return (
    <Show loaded={loaded}>
      {({ body, etag }) => (
        <TemplateEditor key={etag} saved={body.twigTemplate} etag={etag} onReload={loaded.reload} />
      )}
    </Show>
  )
}
