import { Message } from '../ui/page/message.tsx';
import { NarrowPage } from '../ui/page/narrow-page.tsx';
import { PageHeading } from '../ui/page/page-heading.tsx';
import { appTexts } from './texts/app-texts.ts';

/** For whoever sets the application up: what is missing, word for word. */
export function ConfigurationScreen({ message }: { readonly message: string }) {
  const texts = appTexts.use();
  return (
    <NarrowPage>
      <PageHeading>{texts.configuration}</PageHeading>
      <div role="alert">
        <Message tone="error">{message}</Message>
      </div>
    </NarrowPage>
  );
}
