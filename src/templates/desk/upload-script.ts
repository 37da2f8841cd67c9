// The script of the form that uploads a file: it shows how much has been sent. Without it, the browser sends the form alone.

/** It asks nobody but the address of the form, and shows the page that is answered. */
export const UPLOAD_SCRIPT = `'use strict';
const form = document.getElementById('upload');
const show = (id, isShown) => { document.getElementById(id).hidden = !isShown; };
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const file = form.elements.file.files[0];
  const isLarge = file.size > Number(form.dataset.limit);
  show('upload-large', isLarge);
  if (isLarge) return;
  const control = form.querySelector('button');
  const request = new XMLHttpRequest();
  const finish = () => { control.disabled = false; show('upload-progress', false); };
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    document.getElementById('upload-sent').value = total === 0 ? 0 : loaded / total;
  });
  request.addEventListener('load', () => {
    if (request.status < 400) { location.assign(request.responseURL); return; }
    const main = new DOMParser().parseFromString(request.responseText, 'text/html').querySelector('main');
    if (main !== null) document.querySelector('main').replaceWith(document.importNode(main, true));
    else finish();
  });
  request.addEventListener('error', finish);
  request.addEventListener('abort', finish);
  request.open('POST', form.action);
  control.disabled = true;
  show('upload-progress', true);
  request.send(new FormData(form));
});
`;
