import { useLocation, useRoute } from 'preact-iso/router'
import { Button } from '../../design/button.tsx'
import { DeleteButton } from '../../design/delete-button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { UsageBars } from '../../records/usage-bars.tsx'
import { words } from '../../words/common.ts'
import { limitWords as text } from '../../words/limits.ts'
import { type Draft, draftOf, emptyDraft, inputOf, type Limit, rates } from './draft.ts'
import { TransportsField } from './transports-field.tsx'
import { WarmUpFields } from './warm-up-fields.tsx'

const { labels } = text
const refreshMs = 10_000

/** One limit: change it, or add a new one. */
export function LimitScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return (
      <Editor
        key="new"
        id={undefined}
        saved={{ draft: emptyDraft(), etag: undefined }}
        names={new Map()}
      />
    )
  return <SavedLimit key={id} id={Number(id)} />
}

function SavedLimit({ id }: { id: number }) {
  const loaded = useData(async () => {
    const saved = await load(id)
    return { saved, names: await readNames(saved.draft.transports) }
  }, [id])
  return (
    <Show loaded={loaded}>
      {({ saved, names }) => <Editor id={id} saved={saved} names={names} />}
    </Show>
  )
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/limits/{id}', { path: { id } })
  return { draft: draftOf(body.limit), etag }
}

async function readNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const query = { search: `ids:${ids.join(',')}`, fields: 'id,name' }
  const { body } = await ask('GET', '/api/multipleTransports', { query })
  return new Map(body.map(({ id, name }) => [id, name]))
}

interface EditorProps {
  /** Undefined for a new limit. */
  id: number | undefined
  saved: Saved<Draft>
  names: ReadonlyMap<number, string>
}

function Editor({ id, saved, names }: EditorProps) {
  const { route } = useLocation()
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: () => load(id) }),
    async save(draft, { etag }) {
      const body = inputOf(draft)
      const answer =
        id === undefined
          ? await ask('POST', '/api/limits/new', { body })
          : await ask('PATCH', '/api/limits/{id}/edit', { path: { id }, body, etag })
      const { limit } = answer.body
      showToast(text.saved(limit.name))
      if (id === undefined) route(`/limits/${limit.id}`, true)
      return { draft: draftOf(limit), etag: answer.etag }
    },
  })
  const canSave = can(id === undefined ? 'multipleTransports:create' : 'multipleTransports:edit')
  return (
    <Page
      title={id === undefined ? text.newTitle : form.saved.name}
      actions={
        id !== undefined &&
        can('multipleTransports:delete') && (
          <DeleteButton
            title={text.deleteTitle(form.saved.name)}
            text={text.deleteText}
            onDelete={async () => {
              const { body } = await ask('DELETE', '/api/limits/{id}/delete', { path: { id } })
              showToast(body.message)
              route('/limits')
            }}
          />
        )
      }
    >
      {id !== undefined && <UsageCard id={id} change={form.saved} />}
      <form class="card narrow" onSubmit={form.submit}>
        <FormFault form={form} labels={labels} />
        <fieldset disabled={!canSave}>
          <Fields form={form} names={names} />
        </fieldset>
        {canSave && <FormActions form={form} />}
      </form>
    </Page>
  )
}

function Fields({ form, names }: { form: Form<Draft>; names: EditorProps['names'] }) {
  const { draft, set, faultOf } = form
  const overflows = Object.keys(text.overflows) as Limit['overflow'][]
  return (
    <>
      <TextField
        label={labels.name}
        required
        value={draft.name}
        onValue={set('name')}
        fault={faultOf('name')}
      />
      <TextArea
        label={labels.description}
        rows={2}
        value={draft.description}
        onValue={set('description')}
        fault={faultOf('description')}
      />
      <TransportsField
        value={draft.transports}
        names={names}
        onValue={set('transports')}
        fault={faultOf('transports')}
      />
      <fieldset class="group limit-fields">
        <legend>{text.rates}</legend>
        <p class="quiet small">{text.emptyHelp}</p>
        {rates.map((rate) => (
          <TextField
            key={rate}
            label={labels[rate]}
            type="number"
            inputMode="numeric"
            value={draft[rate]}
            onValue={set(rate)}
            fault={faultOf(rate)}
          />
        ))}
      </fieldset>
      <WarmUpFields form={form} />
      <SelectField
        label={labels.overflow}
        value={draft.overflow}
        onValue={(value) => set('overflow')(value as Limit['overflow'])}
        help={text.overflowHelp[draft.overflow]}
        options={overflows.map((value) => ({ value, label: text.overflows[value] }))}
      />
      <CheckField
        label={labels.isPublished}
        value={draft.isPublished}
        onValue={set('isPublished')}
        help={text.publishedHelp}
      />
    </>
  )
}

/** What is used now. It is read again after the limit was changed, and by itself. */
function UsageCard({ id, change }: { id: number; change: unknown }) {
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/limits/{id}', { path: { id }, signal })).body.limit,
    [id, change],
  )
  useRepeat(async () => loaded.reload(), refreshMs)
  return (
    <section class="card narrow">
      <div class="spread">
        <h2>{text.usage.title}</h2>
        <Button onClick={loaded.reload}>{words.refresh}</Button>
      </div>
      <Show loaded={loaded}>
        {({ usage }) =>
          usage && (
            <>
              <UsageBars usage={usage} />
              {usage.warmUp !== null && (
                <p>{text.warmUp.today(usage.warmUp.day, usage.warmUp.allowance)}</p>
              )}
            </>
          )
        }
      </Show>
    </section>
  )
}
