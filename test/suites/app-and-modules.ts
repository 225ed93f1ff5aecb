import { runTogether } from '../run-together.ts'

// Every module that no other suite names.
runTogether(
  'src/*.test.ts',
  'src/!(cli|config|delivery|feedback|http|kit|mailer|messages|preview|queue|relay|resource|routing|storage|twig)/**/*.test.ts',
)
