import { useEffect, useState } from 'preact/hooks'
import { ButtonLink } from '../design/button.tsx'
import { Notice } from '../design/feedback.tsx'
import { TextField } from '../design/field.tsx'
import { FormActions, FormFault } from '../design/form-fault.tsx'
import { Wordmark } from '../design/wordmark.tsx'
import { ApiFault } from '../lib/api.ts'
import { checkPasswordLink, setPassword } from '../lib/session.ts'
import { field, useForm } from '../lib/use-form.ts'
import { words } from '../words/common.ts'

const { setPassword: text } = words.login

/**
 * The page of a one-time link, whose token is the fragment of the address. It logs in and opens the overview. A link that
 * was used says so at once.
 */
export function SetPasswordScreen() {
  const [ended, setEnded] = useState<string>()
  useEffect(() => {
    document.title = `${text.title} · ${words.product}`
    // Without an answer, the form says what is wrong when it is sent.
    checkPasswordLink(location.hash.slice(1)).catch((error: unknown) => {
      if (error instanceof ApiFault && error.status === 404) setEnded(error.message)
    })
  }, [])
  return (
    <main class="login">
      <p class="brand">
        <Wordmark />
      </p>
      {ended === undefined ? (
        <PasswordForm />
      ) : (
        <div class="card">
          <h1>{text.title}</h1>
          <Notice tone="bad">{ended}</Notice>
          <ButtonLink href="/">{words.login.submit}</ButtonLink>
        </div>
      )}
    </main>
  )
}

function PasswordForm() {
  const form = useForm({
    texts: text,
    saved: { draft: { password: '', confirm: '' }, etag: undefined },
    async save(draft) {
      await setPassword(location.hash.slice(1), draft.password)
      return { draft, etag: undefined }
    },
  })
  const { password, confirm } = form.draft
  const isDifferent = confirm !== '' && confirm !== password
  const hidden = { type: 'password', autocomplete: 'new-password', required: true } as const
  return (
    <form
      id={form.id}
      class="card"
      onSubmit={(event) => (confirm === password ? form.submit(event) : event.preventDefault())}
    >
      <h1>{text.title}</h1>
      <FormFault form={form} />
      <TextField {...field(form, 'password')} {...hidden} name="password" />
      <TextField
        {...field(form, 'confirm')}
        {...hidden}
        name="confirm"
        fault={isDifferent ? text.different : undefined}
      />
      <FormActions form={form} label={text.submit} />
    </form>
  )
}
