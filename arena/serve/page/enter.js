"use strict";

// Takes the token from the address, where it stands after # so that no server logs it, and sends it.
(() => {
  const words = location.hash.slice(1);
  if (!words) return;
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.getElementById("enter");
  let token = words;
  try { token = decodeURIComponent(words); } catch { /* it is taken as it is */ }
  form.elements.token.value = token.replace(/^token=/, "");
  document.getElementById("said").textContent = "Entering …";
  form.requestSubmit();
})();
