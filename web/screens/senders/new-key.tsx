import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { CheckField, choicesOf, SelectField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Card, Page, RecordLayout } from '../../design/page.tsx'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { saveRecord } from '../../records/stored.ts'
import { keyWords as text } from '../../words/dkim-keys.ts'

const draftOf = ({ domain = '' }: Record<string, string | undefined>) => ({
  domain,
  brand: brandDraft(undefined),
  algorithm: 'rsa' as 'rsa' | 'ed25519',
  selector: '',
  privateKey: '',
})

/** Creates a key, or imports one. */
export function NewKey() {
  const { route } = useLocation()
  const { query } = useAddress()
  const [isImport, setImport] = useState(false)
  const form = useForm({
    texts: text,
    saved: { draft: draftOf(query), etag: undefined },
    async save(draft) {
      const { algorithm, selector, privateKey } = draft
      const body = {
        domain: draft.domain.trim(),
        ...brandInput(draft.brand),
        ...(isImport ? { privateKey } : { algorithm }),
        ...(selector.trim() === '' ? {} : { selector: selector.trim() }),
      }
      const { record, etag } = await saveRecord('dkimKey', { id: undefined, etag: undefined, body })
      showToast(text.saved(record.domain))
      route(`/senders/keys/${record.id}`, true)
      return { draft, etag }
    },
  })
  return (
    <Page title={text.new} back={{ href: '/senders/keys', label: text.title }}>
      <RecordLayout
        side={
          <Card title={text.about.title}>
            <ul class="lines">
              {text.about.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </Card>
        }
      >
        <form id={form.id} class="card" onSubmit={form.submit}>
          <FormFault form={form} />
          <fieldset disabled={!can('multipleTransports:create')}>
            <TextField {...field(form, 'domain')} required autocomplete="off" inputMode="url" />
            <BrandField {...field(form, 'brand')} none={text.noBrand} />
            <CheckField
              label={text.isImport}
              help={text.isImportHelp}
              value={isImport}
              onValue={setImport}
            />
            {isImport ? (
              <TextArea {...field(form, 'privateKey')} isMono rows={8} />
            ) : (
              <SelectField {...field(form, 'algorithm')} options={choicesOf(text.algorithms)} />
            )}
            <TextField {...field(form, 'selector')} autocomplete="off" isMono />
          </fieldset>
          <FormActions form={form} label={text.create} />
        </form>
      </RecordLayout>
    </Page>
  )
}
