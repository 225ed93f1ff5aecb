import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, PublishedBadge } from '../../design/feedback.tsx'
import { CheckField, TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { Page } from '../../design/page.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { CodeField } from '../../records/code/code-field.tsx'
import { DiffView } from '../../records/code/diff-view.tsx'
import type { CodeHandle } from '../../records/code/open-editor.ts'
import { useKnowledge } from '../../records/code/use-knowledge.ts'
import { type Editor, ResourceScreen, useDeletion } from '../../records/resource-screen.tsx'
import { words } from '../../words/common.ts'
import { templateWords as text } from '../../words/templates.ts'
import { type Draft, type Template, templates } from './draft.ts'
import { ImpactDialog } from './impact.tsx'
import { usePreviewData } from './preview-data.tsx'
import { SendTest } from './send-test.tsx'
import { SidePane } from './side-pane.tsx'

/** One template: write it with a preview beside it, see who uses it, compare and restore versions. */
export default function TemplateScreen() {
  return <ResourceScreen resource={templates} content={TemplatePage} />
}

function TemplatePage(editor: Editor<Draft, Template>) {
  const { id, record, form, canSave } = editor
  const { draft, saved, conflict, isChanged } = form
  const lint = useLint(draft, id)
  const [data, setData] = usePreviewData(id)
  const knowledge = useKnowledge(lint.variables, data.json)
  const [code, setCode] = useState<CodeHandle>()
  const [isImpactShown, setImpactShown] = useState(false)
  const [isRestoring, setRestoring] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const deletion = useDeletion(editor)
  /** Shows what a change does, if the user may see that and there is something to see; else saves. */
  const save = () => {
    if (!canSave || form.isBusy) return
    const isNoticed = noticed.some((name) => draft[name] !== saved[name])
    const isVisible = id !== undefined && can('email:view') && isNoticed
    if (isVisible && !(lint.checked === draft.template && lint.isFaulty)) setImpactShown(true)
    else void form.save()
  }
  // When the version is in the draft.
  useEffect(() => {
    if (isRestoring) save()
    setRestoring(false)
  }, [isRestoring])
  const restore = async (version: number) => {
    const path = { id: id ?? 0, version }
    const { body } = await ask('GET', '/api/twigTemplates/{id}/versions/{version}', { path })
    const { name, description, template } = body.version
    const changeNote = text.restoredNote(version)
    form.setDraft({ ...draft, name, description: description ?? '', template, changeNote })
    setRestoring(true)
  }
  const actions = (
    <>
      {can('multipleTransports:edit') && (
        <Button disabled={draft.template === ''} onClick={() => setTesting(true)}>
          {text.sendTest}
        </Button>
      )}
      {canSave && (
        <Button
          kind="primary"
          type="submit"
          form="template"
          isBusy={form.isBusy}
          disabled={!isChanged}
        >
          {words.save}
        </Button>
      )}
    </>
  )
  return (
    <Page
      title={record?.name ?? text.new}
      back={{ href: '/templates', label: text.title }}
      badge={
        id !== undefined &&
        (isChanged ? (
          <Badge tone="warn">{text.unsaved}</Badge>
        ) : (
          <PublishedBadge isPublished={saved.isPublished} />
        ))
      }
      actions={actions}
      menu={deletion.item}
    >
      <div class="template">
        <form
          id="template"
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            save()
          }}
          onKeyDown={(event) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            save()
          }}
        >
          <section class="stack" aria-label={conflict && text.conflict.title}>
            <FormFault form={form} />
            {conflict !== undefined && draft.template !== conflict.draft.template && (
              <DiffView
                before={{ text: conflict.draft.template, label: text.conflict.theirs }}
                after={{ text: draft.template, label: text.conflict.mine }}
              />
            )}
          </section>
          {canSave ? (
            <div class="template-facts">
              <TextField {...field(form, 'name')} required />
              <TextField {...field(form, 'description')} />
              <BrandField {...field(form, 'brand')} />
              {can('twigtemplates:publish') && <CheckField {...field(form, 'isPublished')} />}
            </div>
          ) : (
            <p class="quiet">{draft.description}</p>
          )}
          <CodeField
            label={text.labels.template}
            text={draft.template}
            onText={form.set('template')}
            isReadOnly={!canSave}
            remarks={lint.remarks}
            knowledge={knowledge}
            onOpen={setCode}
            fault={form.faultOf('template')}
            help={canSave && text.keys}
          />
        </form>
        <SidePane
          id={id}
          form={form}
          data={data}
          variables={lint.variables}
          code={code}
          onData={setData}
          onRestore={restore}
        />
      </div>
      {isImpactShown && id !== undefined && (
        <ImpactDialog id={id} data={data} form={form} onClose={() => setImpactShown(false)} />
      )}
      {deletion.question}
      {isTesting && (
        <SendTest
          id={id}
          data={data}
          name={draft.name}
          code={draft.template}
          onClose={() => setTesting(false)}
        />
      )}
    </Page>
  )
}

/** What those that use a template notice. */
const noticed = ['template', 'name', 'isPublished'] as const

type LintAnswer = Body<'POST', '/api/twigTemplates/lint'>

/** Checks code when the typing pauses. A check that is overtaken by typing is cancelled. */
function useLint({ template, name }: Draft, id: number | undefined) {
  const known = useRef<LintAnswer['variables']>([])
  const { data } = useData(
    async (signal) => {
      const body = {
        template,
        ...(id === undefined ? {} : { id }),
        ...(name === '' ? {} : { name }),
      }
      const options = { body, signal, isRead: true }
      const answer = (await ask('POST', '/api/twigTemplates/lint', options)).body
      const { faults, warnings, variables } = answer
      // A template with faults may not say what it reads.
      if (faults.length === 0 || variables.length > 0) known.current = variables
      return {
        checked: template,
        isFaulty: faults.length > 0,
        remarks: [
          ...faults.map((each) => ({ ...each, isFault: true })),
          ...warnings.map((each) => ({ ...each, isFault: false })),
        ],
        variables: known.current,
      }
    },
    [template, name, id],
    { isTyped: true },
  )
  return data ?? notChecked
}

const notChecked = { checked: undefined, isFaulty: false, remarks: [], variables: [] }
